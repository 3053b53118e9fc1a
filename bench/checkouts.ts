/** Two checkouts on copies of one database, which the earlier one has filled. */
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { openPostgres } from '../test/support/postgres.ts'
import { UsageError } from '../tools/options.ts'
import type { Sandbox } from '../tools/sandbox.ts'
import { postgresSettings } from './engine.ts'
import { openProduct, type Product } from './product.ts'
import type { Engine } from './targets.ts'

export interface Checkout {
  readonly folder: string
  /** Settings of this checkout only. */
  readonly settings?: { readonly [name: string]: string }
}

export interface CheckoutPair {
  readonly before: Product
  readonly after: Product
  /** Copies the database, keys and images of the first. No program may have it open. */
  copy(): Promise<void>
}

interface PairOptions {
  readonly engine: Engine
  readonly before: Checkout
  readonly after: Checkout
  /** Settings of both checkouts. */
  readonly settings: { readonly [name: string]: string }
}

export const openCheckouts = async (
  sandbox: Sandbox,
  { engine, before, after, settings }: PairOptions,
): Promise<CheckoutPair> => {
  const { folder } = sandbox
  const open = (name: string, databaseUrl: string, checkout: Checkout) =>
    openProduct(sandbox, name, databaseUrl, {
      checkout: checkout.folder,
      settings: { ...settings, ...checkout.settings },
    })
  const copyFiles = () => {
    for (const file of readdirSync(folder).filter((name) => /^before[.-]/.test(name))) {
      const copy = file.replace(/^before/, 'after')
      cpSync(join(folder, file), join(folder, copy), { recursive: true })
    }
  }
  if (engine === 'sqlite') {
    const url = (name: string) => `sqlite:${join(folder, `${name}.db`)}`
    return {
      before: open('before', url('before'), before),
      after: open('after', url('after'), after),
      copy: async () => copyFiles(),
    }
  }
  const postgres = await openPostgres({ settings: postgresSettings })
  sandbox.onClose(() => postgres.close())
  const beforeUrl = await postgres.url('before')
  const afterUrl = new URL(beforeUrl)
  afterUrl.pathname = '/after'
  return {
    before: open('before', beforeUrl, before),
    after: open('after', afterUrl.href, after),
    copy: async () => {
      copyFiles()
      const client = new pg.Client(await postgres.url('postgres'))
      await client.connect()
      await client.query('create database after template before')
      await client.end()
    },
  }
}

/** The checkout in the folder given by an option. */
export const readCheckout = (option: string, path: string | undefined): Checkout => {
  if (path === undefined) {
    throw new UsageError(`Name the folder of the other checkout with --${option}.`)
  }
  const folder = resolve(path)
  if (existsSync(join(folder, 'bin/selvedge.mjs'))) return { folder }
  throw new UsageError(`${folder} is not a checkout of Selvedge: it has no bin/selvedge.mjs.`)
}
