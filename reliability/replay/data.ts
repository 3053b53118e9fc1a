/** The data of both servers: created once, by the program of the earlier checkout, and copied. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { catalog, type Resource } from '#contract'
import type { DemoRecord } from '#demo'
import type { Product } from '../../bench/product.ts'
import type { Workplace } from '../../bench/sandbox.ts'
import { type BrandsModel, brands, shared } from '../../test/support/brands.ts'
import { openPostgres } from '../../test/support/postgres.ts'
import type { FuzzKeys } from '../fuzz/requests.ts'

export type Engine = 'sqlite' | 'postgres'

/** Two databases of which the second is a copy of the first. */
export interface Databases {
  readonly before: string
  readonly after: string
  /** Copies the first to the second, with its keys and images. No program may have it open. */
  copy(): Promise<void>
}

export const openDatabases = async (sandbox: Workplace, engine: Engine): Promise<Databases> => {
  const { folder } = sandbox
  const copyFiles = () => {
    for (const file of readdirSync(folder).filter((name) => /^before[.-]/.test(name))) {
      const copy = file.replace(/^before/, 'after')
      cpSync(join(folder, file), join(folder, copy), { recursive: true })
    }
  }
  if (engine === 'sqlite') {
    const url = (name: string) => `sqlite:${join(folder, `${name}.db`)}`
    return { before: url('before'), after: url('after'), copy: async () => copyFiles() }
  }
  const postgres = await openPostgres()
  sandbox.atEnd(() => postgres.close())
  const before = await postgres.url('before')
  const after = new URL(before)
  after.pathname = '/after'
  return {
    before,
    after: after.href,
    copy: async () => {
      copyFiles()
      const client = new pg.Client(await postgres.url('postgres'))
      await client.connect()
      await client.query('create database after template before')
      await client.end()
    },
  }
}

/** A key that may send so few requests that the next ones are refused. */
export interface ReplayKeys extends FuzzKeys {
  readonly limited: string
}

/** Imports the brands of the model and a demo brand, and issues keys. */
export const createData = async (
  { folder }: Workplace,
  { run }: Product,
  model: BrandsModel,
): Promise<ReplayKeys> => {
  const importRecords = async (
    name: string,
    owner: readonly string[],
    recordsOf: (resource: Resource) => readonly DemoRecord[],
  ) => {
    const files = join(folder, `records-${name}`)
    mkdirSync(files)
    for (const resource of catalog.resources) {
      const records = recordsOf(resource)
      if (records.length === 0) continue
      const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
      writeFileSync(join(files, `${resource.path}.ndjson`), lines)
    }
    await run('import', files, ...owner, '--allow-dangling', '--json')
  }
  await importRecords('shared', ['--shared'], ({ path }) => shared[path] ?? [])
  for (const brand of brands) {
    await importRecords(brand, ['--brand', brand], (resource) => model.recordsOf(brand, resource))
  }
  await run('demo', '--brand', demoBrand, '--orders', String(demoOrders), '--seed', '1', '--json')

  const issue = async (...rights: readonly string[]): Promise<{ key: string; id: string }> =>
    JSON.parse(await run('keys', 'issue', '--json', ...rights))
  const forBrand = async (brand: string) => (await issue('--brand', brand)).key
  const revoked = await issue('--brand', 'aldermoor')
  await run('keys', 'revoke', revoked.id)
  const expiresAt = Date.now() + expiryMs
  const expired = await issue(
    ...['--brand', 'aldermoor', '--expires', new Date(expiresAt).toISOString()],
  )
  const of = {
    aldermoor: await forBrand('aldermoor'),
    birkholm: await forBrand('birkholm'),
    corvane: await forBrand('corvane'),
    two: (await issue('--brand', 'aldermoor', '--brand', 'corvane')).key,
    global: (await issue('--global')).key,
    expired: expired.key,
    revoked: revoked.key,
  }
  const limited = await issue('--brand', 'aldermoor', '--rate', '0.001', '--burst', '3')
  await wait(Math.max(0, expiresAt - Date.now()))
  return { all: [...Object.values(of), limited.key], of, limited: limited.key }
}

export const demoBrand = 'acme'
export const demoOrders = 12

/** Longer than it takes to issue the key: one that has already expired cannot be issued. */
const expiryMs = 10_000
