import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Load, Loaded, LoadGenerator } from './load.ts'
import { outputOf } from './output.ts'

/** Load from wrk, which costs less than anything that runs on Node. */
export const wrkLoad =
  (folder: string): LoadGenerator =>
  async (load) => {
    const script = join(folder, 'wrk.lua')
    writeFileSync(script, luaOf(load))
    const { connections, port, seconds } = load
    const whole = Math.ceil(seconds)
    const args = [
      '-t1',
      `-c${connections}`,
      `-d${whole}s`,
      // Whoever counts millions of rows takes long; that is a figure, not a fault.
      '--timeout',
      '30s',
      '-s',
      script,
      `http://127.0.0.1:${port}`,
    ]
    // wrk counts whole seconds. An interrupt ends it earlier, with its summary.
    const early = whole === seconds ? {} : { stopMs: seconds * 1_000 }
    return readSummary((await outputOf('wrk', args, early)).stdout)
  }

/** A script that takes paths from a file in turn, and prints its summary as one line of JSON. */
export const luaOf = ({ file, from, headers, port }: Load): string => {
  const head = [
    ' HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')
  return `local threads = {}
asked = 0

function setup(thread)
  table.insert(threads, thread)
end

local paths = {}
local at = 0

function init()
  for line in io.lines(${quoted(file)}) do
    paths[#paths + 1] = line
  end
  at = ${from} % #paths
end

function request()
  at = at + 1
  if at > #paths then at = 1 end
  asked = asked + 1
  return 'GET ' .. paths[at] .. ${quoted(head)}
end

function done(summary, latency)
  local total = 0
  for _, thread in ipairs(threads) do total = total + thread:get('asked') end
  local errors = summary.errors
  io.write(string.format(
    '\\nsummary {"requests":%d,"us":%d,"p50":%d,"p99":%d,"asked":%d,"refused":%d,"broken":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), total,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
`
}

/** A text for Lua, whatever is in it. */
const quoted = (text: string): string =>
  `'${[...text].map((char) => (/[\w /.:=&?-]/.test(char) ? char : `\\${String(char.codePointAt(0)).padStart(3, '0')}`)).join('')}'`

export const readSummary = (output: string): Loaded => {
  const [, line] = /^summary (.*)$/m.exec(output) ?? []
  if (!line) throw new Error(`wrk said nothing that can be read: ${output}`)
  const { requests, us, p50, p99, asked, refused, broken } = JSON.parse(line)
  if (broken > 0) throw new Error(`${broken} connections broke or took too long.`)
  return {
    requests,
    seconds: us / 1_000_000,
    p50Ms: p50 / 1_000,
    p99Ms: p99 / 1_000,
    asked,
    refused,
  }
}
