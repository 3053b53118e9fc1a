import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Images } from '#images'
import { openRecords, openServiceImages, type Records, readServiceConfig } from '#server'
import { type BrandsModel, writeBrands } from '../test/support/brands.ts'
import { mainFile } from '../test/support/command.ts'

/** `selvedge serve` in a separate process. */
export interface Serving {
  readonly url: string
  readonly pid: number
  /**
   * Runs work and also returns the maximum CPU time of one event loop turn meanwhile, in
   * milliseconds. Requires a process started with a meter.
   */
  busyDuring<T>(work: () => Promise<T>): Promise<readonly [T, number]>
  /** Searches the log for texts and counts its errors. */
  searchLog(texts: readonly string[]): Promise<LogFindings>
  /** Stops it gracefully. Its log can still be searched. */
  stop(): Promise<void>
}

/** A serving process with the three brands in its database. */
export interface ServingProcess extends Serving {
  /** Its environment, for commands on the same database. */
  readonly variables: { readonly [name: string]: string }
  /** Its records and keys, opened by this process. */
  readonly records: Records
  readonly images: Images
  /** Stops it and removes its files. */
  close(): Promise<void>
}

export interface LogFindings {
  readonly lines: number
  readonly errors: readonly string[]
  readonly matches: readonly string[]
}

/** The three brands in a database, before a server opens it. */
export interface PreparedBrands {
  readonly folder: string
  /** The environment of a server for them. */
  readonly variables: { readonly [name: string]: string }
  readonly records: Records
}

export const prepareBrands = async (
  model: BrandsModel,
  environment: { readonly [name: string]: string } = {},
): Promise<PreparedBrands> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-trust-'))
  const variables = {
    NODE_ENV: 'production',
    WORKERS: '1',
    STANDBY_WORKERS: '0',
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'selvedge.db')}`,
    IMAGES_URL: `file:${join(folder, 'images')}`,
    RATE_PER_SECOND: '1000000',
    RATE_BURST: '1000000',
    TRUSTED_PROXIES: '127.0.0.1',
    ...environment,
  }
  const config = readServiceConfig(variables)
  const records = await openRecords(config)
  const images = openServiceImages(config, records.secret, () => 'http://127.0.0.1')
  await writeBrands(model, { store: records.store, images })
  await images.close()
  return { folder, variables, records }
}

export const openServingProcess = async (
  model: BrandsModel,
  environment: { readonly [name: string]: string } = {},
  options: { readonly hasMeter?: boolean } = {},
): Promise<ServingProcess> => {
  const { folder, variables, records } = await prepareBrands(model, environment)
  const config = readServiceConfig(variables)
  const images = openServiceImages(config, records.secret, () => 'http://127.0.0.1')
  const serving = await startServing(folder, variables, options)
  return {
    ...serving,
    variables,
    records,
    images,
    close: async () => {
      await serving.stop()
      await images.close()
      await records.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts `selvedge serve` in a folder with this environment. */
export const startServing = async (
  folder: string,
  variables: NodeJS.ProcessEnv,
  { hasMeter = false }: { readonly hasMeter?: boolean } = {},
): Promise<Serving> => {
  const [log, words] = [join(folder, 'log'), join(folder, 'words')]
  const meter = join(folder, 'meter')
  const meterFile = fileURLToPath(new URL('pipelining/loop-meter.ts', import.meta.url))
  // An earlier process may have left its socket.
  rmSync(meter, { force: true })
  const preloaded = hasMeter ? ['--import', meterFile] : []
  const child = spawn(process.execPath, [...preloaded, mainFile, 'serve'], {
    cwd: folder,
    env: { ...variables, LOOP_METER: meter },
    stdio: ['ignore', openSync(log, 'w'), openSync(words, 'w')],
  })
  const ended = once(child, 'close')
  let url: string | undefined
  while (url === undefined) {
    if (child.exitCode !== null) throw new RangeError(readFileSync(words, 'utf8'))
    await wait(20)
    url = /API +(http:\/\/[^/\s]+)/.exec(readFileSync(words, 'utf8'))?.[1]
  }
  /** Covers the time since the last call. */
  const longestTurnMs = async () => Number(await text(connect(meter)))
  return {
    url,
    pid: child.pid ?? 0,
    busyDuring: async (work) => {
      await longestTurnMs()
      const result = await work()
      return [result, await longestTurnMs()]
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await ended
    },
    searchLog: async (texts) => {
      const matches = new Set<string>()
      const errors: string[] = []
      let lines = 0
      for (const file of [log, words]) {
        let rest = ''
        for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
          const part = rest + (chunk as string)
          for (const each of texts) if (part.includes(each)) matches.add(each)
          const whole = part.split('\n')
          rest = whole.pop() ?? ''
          lines += whole.length
          errors.push(...whole.filter((line) => /"level":"(error|fatal)"/.test(line)))
        }
      }
      return { lines, errors, matches: [...matches] }
    },
  }
}
