-- Corrects one limit. KEYS[1]: the state. ARGV[2..]: kind, limit, period, delta, when it was charged.
-- memory/rates.rs says the same in Rust.
local kind, limit, period = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local delta, charged_at = tonumber(ARGV[5]), tonumber(ARGV[6])
local a, l = 0, 0
local stored = redis.call('GET', KEYS[1])
if stored then
  local stored_at, stored_level = string.match(stored, '^(%d+) (%d+)$')
  a, l = tonumber(stored_at), tonumber(stored_level)
end
local keep
if kind == 'window' then
  local start = now - now % period
  if start > a then a, l = start, 0 end
  if delta < 0 and charged_at < a then return 0 end
  l = l + delta
  keep = period
else
  local elapsed = now - a
  if elapsed > 0 then a, l = now, math.max(0, l - elapsed * limit) end
  l = l + delta * period
  keep = l / limit
end
l = math.min(math.max(0, l), 2 ^ 52)
redis.call('SET', KEYS[1], text(a) .. ' ' .. text(l), 'PX', keep_ms(math.max(0, keep)))
return 1
