local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
-- Numbers are written in full: Lua's own text form rounds beyond 14 digits.
local function text(number) return string.format('%.0f', number) end
-- What Redis itself forgets only tidies up; the stored times decide. Hence the minute on top.
local function keep_ms(milliseconds) return text(math.min(milliseconds, 4e12) + 60000) end
