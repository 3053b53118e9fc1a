import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, catalog } from '#contract'
import { remoteAccess } from '#mcp'
import { PullError, pullBrand, type RunLimits } from '#pull'
import { remoteServer } from '../src/cli/mcp.ts'
import { mainFile } from '../test/support/command.ts'
import { check } from './check.ts'
import { brand, type HostileServer, hostileServers, openHostileServer } from './hostile/servers.ts'

interface Size {
  /** Runs the real commands in separate processes; otherwise reads in this process. */
  readonly asCommands: boolean
  /** Concurrent commands. */
  readonly atOnce: number
  readonly timeoutSeconds: number
  readonly secondsMax: number
  readonly memoryMaxMb: number
}

export default check<Size>({
  id: 'R28',
  claim:
    'No server that pull or mcp --url reads from can exhaust their resources or write to the terminal.',
  target:
    'Each server of a list (endless bodies, lists and feeds, almost empty pages, slow responses, compression bombs, cursor loops, repeated records, silence, redirects, control characters) ends both commands: with code 1, or with 0 if the lists could be read instead; within 15 timeouts, or 75 s if it asks to wait; with at most 512 MB of memory; with no control character in the output; and the key is sent to no other server. The limits of a whole run are set lower here.',
  sizes: {
    short: {
      asCommands: false,
      atOnce: 6,
      timeoutSeconds: 2,
      secondsMax: 180,
      memoryMaxMb: Infinity,
    },
    full: { asCommands: true, atOnce: 1, timeoutSeconds: 3, secondsMax: 45, memoryMaxMb: 512 },
  },
  try: async (size, { log }) => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-hostile-'))
    const misses: string[] = []
    const trials = hostileServers
      .filter(({ isLong }) => size.asCommands || !isLong)
      .flatMap((server) => {
        // An agent first requests its brands. Only `pull` reads lists and feeds.
        const commands = server.at === 'everything' ? (['pull', 'mcp'] as const) : ['pull' as const]
        return commands.map((command) => ({ server, command }))
      })
    let [longestSeconds, mostMb, requests] = [0, 0, 0]
    const tryOne = async ({ server, command }: (typeof trials)[number], index: number) => {
      const open = await openHostileServer(server)
      try {
        const to = join(folder, `copy-${index}.db`)
        const isCommand = size.asCommands && !server.limits
        const ran = isCommand
          ? await runCommand(command, open.url, to, size.timeoutSeconds)
          : await readHere(command, open.url, to, size.timeoutSeconds, server.limits)
        const name = `${command} from a server with ${server.name}`
        log(`${name}: ${ran.code} after ${ran.seconds.toFixed(1)} s, ${ran.peakMb} MB`)
        longestSeconds = Math.max(longestSeconds, ran.seconds)
        mostMb = Math.max(mostMb, ran.peakMb)
        requests += open.requests()
        misses.push(...wrongWith(name, server, ran, size))
      } finally {
        await open.close()
      }
    }
    try {
      const waiting = trials.entries()
      const runner = async () => {
        for (const [index, trial] of waiting) await tryOne(trial, index)
      }
      await Promise.all(Array.from({ length: size.atOnce }, runner))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    return {
      measured: `${trials.length} runs against ${hostileServers.length} kinds of servers, with a timeout of ${size.timeoutSeconds} s: the longest run took ${longestSeconds.toFixed(1)} s, the largest used ${mostMb} MB of memory; ${requests.toLocaleString('en')} requests in total.`,
      counts: {
        runs: trials.length,
        requests,
        longestMs: Math.round(longestSeconds * 1_000),
        peakMb: mostMb,
      },
      misses,
    }
  },
})

interface Ran {
  readonly code: number | null
  readonly printed: string
  readonly seconds: number
  readonly peakMb: number
}

type Read = (
  command: 'pull' | 'mcp',
  url: string,
  to: string,
  timeoutSeconds: number,
  limits?: Partial<RunLimits>,
) => Promise<Ran>

const key = 'slv_key-of-a-reader'

/** Reads like the command, without a process. */
const readHere: Read = async (command, url, to, timeoutSeconds, limits = {}) => {
  const began = performance.now()
  const idleTimeoutMs = timeoutSeconds * 1_000
  const clock = () => performance.now()
  let printed = ''
  const log = (sentence: string) => {
    printed += `${sentence}\n`
  }
  const copy = {
    catalog,
    url,
    brand,
    key,
    to,
    full: false,
    allowHttp: false,
    idleTimeoutMs,
    log,
    clock,
    limits,
  }
  const rest = { now: () => 0, random: () => 0.5, process: process.pid, onProgress: () => {} }
  const reading =
    command === 'pull'
      ? pullBrand({ ...copy, ...rest })
      : remoteAccess(remoteServer(url, key, idleTimeoutMs))
  const code = await reading.then(
    () => 0,
    (error: Error) => {
      log(
        error instanceof PullError || error instanceof ApiError
          ? error.message
          : (error.stack ?? ''),
      )
      return 1
    },
  )
  return { code, printed, peakMb: 0, seconds: (performance.now() - began) / 1_000 }
}

const runCommand: Read = async (command, url, to, timeoutSeconds) => {
  const copy = command === 'pull' ? ['--brand', brand, '--to', to] : []
  const args = [command, '--url', url, ...copy, '--timeout', `${timeoutSeconds}s`]
  const began = performance.now()
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: { ...process.env, SELVEDGE_KEY: key, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  let peakMb = 0
  const looking = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(child))
  }, 20)
  const code = await new Promise<number | null>((resolve) => {
    const stop = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    child.once('close', (ended) => {
      clearTimeout(stop)
      resolve(ended)
    })
  })
  clearInterval(looking)
  return { code, printed, peakMb, seconds: (performance.now() - began) / 1_000 }
}

const killAfterMs = 300_000
const printedMax = 20_000

/** Peak memory of a process; 0 if the system does not report it. */
export const peakOf = ({ pid }: ChildProcess): number => {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return 0
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) / 1_024)
  } catch {
    return 0
  }
}

const wrongWith = (
  name: string,
  { code: expected, says, isLong }: HostileServer,
  { code, printed, seconds, peakMb }: Ran,
  { secondsMax, memoryMaxMb }: Size,
): readonly string[] => {
  const wrong: string[] = []
  if (code !== (expected ?? 1)) wrong.push(`ended with ${code}: ${printed.slice(-500)}`)
  if (seconds > (isLong ? secondsMax + waitsSeconds : secondsMax)) {
    wrong.push(`took ${seconds.toFixed(1)} s`)
  }
  if (peakMb > memoryMaxMb) wrong.push(`took ${peakMb} MB`)
  if (/[^\P{C}\n]/u.test(printed)) {
    wrong.push(`printed control characters: ${JSON.stringify(printed.slice(0, 500))}`)
  }
  if (printed.length > printedMax) wrong.push(`printed ${printed.length} characters`)
  if (/unexpected|\.ts:\d+/.test(printed)) wrong.push(`was surprised: ${printed.slice(0, 500)}`)
  if (printed.includes('slv_key')) wrong.push('printed the key')
  if (says && !says.test(printed)) wrong.push(`said: ${printed.slice(0, 500)}`)
  return wrong.map((each) => `${name} ${each}`)
}

/** Total time of the one-second waits that a server may ask for. */
const waitsSeconds = 45
