-- KEYS: sorted sets of owners by end of lease. ARGV[2]: lease in ms, then the owner in each.
local lease = tonumber(ARGV[2])
local keep = keep_ms(lease)
local answer = {}
for i = 1, #KEYS do
  local owner = ARGV[i + 2]
  local score = redis.call('ZSCORE', KEYS[i], owner)
  answer[i] = 0
  if score and tonumber(score) > now then
    redis.call('ZADD', KEYS[i], text(now + lease), owner)
    if redis.call('PTTL', KEYS[i]) < tonumber(keep) then redis.call('PEXPIRE', KEYS[i], keep) end
    answer[i] = 1
  end
end
return answer
