-- KEYS[1]: hash of owner and end. ARGV[2..]: owner, time to live in ms.
local owner, ttl = ARGV[2], tonumber(ARGV[3])
local held = redis.call('HMGET', KEYS[1], 'owner', 'end')
if held[1] ~= owner or tonumber(held[2]) <= now then return 0 end
redis.call('HSET', KEYS[1], 'end', text(now + ttl))
redis.call('PEXPIRE', KEYS[1], keep_ms(ttl))
return 1
