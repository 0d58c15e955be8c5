-- Charges every limit and takes every slot, or none. KEYS: the states of the limits, then sorted sets of
-- owners by end of lease. ARGV[2..]: how many limits, owner, lease in ms; kind, limit, period, burst, cost
-- of each limit; capacity of each slot. A state is "at level"; memory/rates.rs says the same in Rust.
-- Answer: {0, units left of each...} or {position of the first without room, wait in ms or -1}.
local limits, owner, lease = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local function divide_up(number, by)
  local rest = number % by
  return (number - rest) / by + (rest > 0 and 1 or 0)
end
for i = limits + 1, #KEYS do
  local capacity = tonumber(ARGV[4 + limits * 5 + i - limits])
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', text(now))
  if not redis.call('ZSCORE', KEYS[i], owner) and redis.call('ZCARD', KEYS[i]) >= capacity then
    return {i, -1}
  end
end
local at, level, keep, answer = {}, {}, {}, {0}
for i = 1, limits do
  local first = 5 + (i - 1) * 5
  local kind = ARGV[first]
  local limit, period = tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2])
  local burst, cost = tonumber(ARGV[first + 3]), tonumber(ARGV[first + 4])
  local a, l = 0, 0
  local stored = redis.call('GET', KEYS[i])
  if stored then
    local stored_at, stored_level = string.match(stored, '^(%d+) (%d+)$')
    a, l = tonumber(stored_at), tonumber(stored_level)
  end
  local unit, full
  if kind == 'window' then
    local start = now - now % period
    if start > a then a, l = start, 0 end
    unit, full = 1, limit
  else
    local elapsed = now - a
    if elapsed > 0 then a, l = now, math.max(0, l - elapsed * limit) end
    unit, full = period, burst * period
  end
  cost = cost * unit
  if cost > full then return {i, -1} end
  local wanted = l + cost
  if wanted > full then
    if kind == 'window' then return {i, a + period - now} end
    return {i, divide_up(wanted - full, limit)}
  end
  at[i], level[i] = a, wanted
  keep[i] = (kind == 'window') and period or divide_up(wanted, limit)
  answer[i + 1] = (full - wanted - (full - wanted) % unit) / unit
end
for i = 1, limits do
  redis.call('SET', KEYS[i], text(at[i]) .. ' ' .. text(level[i]), 'PX', keep_ms(keep[i]))
end
for i = limits + 1, #KEYS do
  redis.call('ZADD', KEYS[i], text(now + lease), owner)
  local longest = keep_ms(lease)
  if redis.call('PTTL', KEYS[i]) < tonumber(longest) then redis.call('PEXPIRE', KEYS[i], longest) end
end
return answer
