import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../tools/options.ts'
import { outputOf } from './output.ts'

/** Requests to send, their duration and connections. */
export interface Load {
  readonly port: number
  /** A file with the paths to request, one per line. Starts over after the last line. */
  readonly file: string
  /** The first line to use, from 0. */
  readonly from: number
  readonly headers: { readonly [name: string]: string }
  readonly seconds: number
  readonly connections: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Paths taken from the file; the last few may have no response. */
  readonly sent: number
  /** Responses with a status of 400 or more. */
  readonly refused: number
}

/** Throws an error with installation instructions if wrk is missing. */
export const requireWrk = (): void => {
  if (spawnSync('wrk', ['-v']).error === undefined) return
  throw new UsageError('wrk is not installed. On Debian and Ubuntu: apt-get install wrk.')
}

/** Sends requests with wrk, which needs less CPU time than a Node program. */
export const runWrk = async (folder: string, load: Load): Promise<LoadResult> => {
  const script = join(folder, 'wrk.lua')
  writeFileSync(script, luaOf(load))
  const { connections, port, seconds } = load
  const whole = Math.ceil(seconds)
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${whole}s`,
    // Counting millions of rows is slow, which is a result and not an error.
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

/** A script that takes paths from a file in turn and prints its summary as one line of JSON. */
export const luaOf = ({ file, from, headers, port }: Load): string => {
  const head = [
    ' HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')
  return `local threads = {}
sent = 0

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
  sent = sent + 1
  return 'GET ' .. paths[at] .. ${quoted(head)}
end

function done(summary, latency)
  local total = 0
  for _, thread in ipairs(threads) do total = total + thread:get('sent') end
  local errors = summary.errors
  io.write(string.format(
    '\\nsummary {"requests":%d,"us":%d,"p50":%d,"p99":%d,"sent":%d,"refused":%d,"broken":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), total,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
`
}

/** Quotes any text for Lua. */
const quoted = (text: string): string =>
  `'${[...text].map((char) => (/[\w /.:=&?-]/.test(char) ? char : `\\${String(char.codePointAt(0)).padStart(3, '0')}`)).join('')}'`

export const readSummary = (output: string): LoadResult => {
  const [, line] = /^summary (.*)$/m.exec(output) ?? []
  if (!line) throw new Error(`wrk printed no summary: ${output}`)
  const { requests, us, p50, p99, sent, refused, broken } = JSON.parse(line)
  if (broken > 0) throw new Error(`${broken} connections broke or took too long.`)
  return {
    requests,
    seconds: us / 1_000_000,
    p50Ms: p50 / 1_000,
    p99Ms: p99 / 1_000,
    sent,
    refused,
  }
}
