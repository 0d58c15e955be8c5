-- KEYS[1]: sorted set of owners by end of lease. ARGV[2..]: owner, capacity, lease in ms.
local owner, capacity, lease = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
if not redis.call('ZSCORE', KEYS[1], owner) and redis.call('ZCARD', KEYS[1]) >= capacity then
  return 0
end
redis.call('ZADD', KEYS[1], text(now + lease), owner)
local keep = keep_ms(lease)
if redis.call('PTTL', KEYS[1]) < tonumber(keep) then redis.call('PEXPIRE', KEYS[1], keep) end
return 1
