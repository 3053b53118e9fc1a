/** The data of both servers, created by the program of the earlier checkout. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, type Resource } from '#contract'
import type { DemoRecord } from '#demo'
import type { Product } from '../../bench/product.ts'
import { type BrandsModel, brands, shared } from '../../test/support/brands.ts'
import type { Sandbox } from '../../tools/sandbox.ts'
import type { FuzzKeys } from '../fuzz/requests.ts'

/** Adds a key with a rate limit so low that its next requests are refused. */
export interface ReplayKeys extends FuzzKeys {
  readonly limited: string
}

/** Imports the brands of the model and a demo brand, and issues keys. */
export const createData = async (
  { folder }: Sandbox,
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

/** Longer than issuing the key takes: a key must not expire before it is issued. */
const expiryMs = 10_000
