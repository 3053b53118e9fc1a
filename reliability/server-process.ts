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

/** `selvedge serve` in a process of its own, with the three brands in its database. */
export interface ServingProcess {
  readonly url: string
  readonly pid: number
  /** Its environment, for a command on the same database. */
  readonly variables: { readonly [name: string]: string }
  /**
   * The most processor time that one turn of its event loop took since this was last asked, in
   * milliseconds. For a process that was opened with a meter.
   */
  longestTurnMs(): Promise<number>
  /** The same records and keys, as another process has them. */
  readonly records: Records
  readonly images: Images
  /** What its log holds of some texts, and how many errors it tells of. */
  searchLog(texts: readonly string[]): Promise<LogFindings>
  /** Ends it in order; its log can still be searched. */
  stop(): Promise<void>
  /** Ends it and removes all of it. */
  close(): Promise<void>
}

export interface LogFindings {
  readonly lines: number
  readonly errors: readonly string[]
  readonly matches: readonly string[]
}

/** The three brands in a database, before a server has opened it. */
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
  { hasMeter = false } = {},
): Promise<ServingProcess> => {
  const { folder, variables, records } = await prepareBrands(model, environment)
  const config = readServiceConfig(variables)
  const images = openServiceImages(config, records.secret, () => 'http://127.0.0.1')
  const [log, words] = [join(folder, 'log'), join(folder, 'words')]
  const meter = join(folder, 'meter')
  const meterFile = fileURLToPath(new URL('pipelining/loop-meter.ts', import.meta.url))
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
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
  }
  return {
    url,
    pid: child.pid ?? 0,
    variables,
    longestTurnMs: async () => Number(await text(connect(meter))),
    records,
    images,
    stop,
    searchLog: async (texts) => {
      const matches = new Set<string>()
      const errors: string[] = []
      let lines = 0
      for (const file of [log, words]) {
        let rest = ''
        for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
          const text = rest + (chunk as string)
          for (const each of texts) if (text.includes(each)) matches.add(each)
          const whole = text.split('\n')
          rest = whole.pop() ?? ''
          lines += whole.length
          errors.push(...whole.filter((line) => /"level":"(error|fatal)"/.test(line)))
        }
      }
      return { lines, errors, matches: [...matches] }
    },
    close: async () => {
      await stop()
      await images.close()
      await records.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** An address of PostgreSQL whose limits of time are out of reach: another check is about those. */
export const patient = (url: string): string => `${url}?query-ms=60000&connect-ms=60000`
