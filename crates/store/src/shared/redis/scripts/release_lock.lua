-- KEYS[1]: hash of owner and end. ARGV[1]: owner.
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1
