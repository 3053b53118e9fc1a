import type { Command } from 'commander'
import { catalog } from '#contract'
import { type IssuedKey, type KeyRecord, signingSecretOf } from '#keys'
import type { Records } from '#server'
import { requireBrand } from './brand.ts'
import { readDuration, readMoment } from './durations.ts'
import { asTable, CommandError, createOutput, UsageError } from './output.ts'
import { withRecords } from './records.ts'

interface IssueOptions {
  readonly brand?: readonly string[]
  readonly global?: boolean
  readonly ingest?: boolean
  readonly collections?: string
  readonly webhook?: boolean
  readonly name?: string
  readonly expires?: string
  readonly rate?: string
  readonly burst?: string
  readonly json?: boolean
}

export const addKeys = (program: Command): void => {
  const keys = program.command('keys').description('Issue, list, revoke and rotate API keys.')

  keys
    .command('issue')
    .description('Issue a key. It is shown only once.')
    .option('--brand <slug>', 'a brand that the key is for; repeat for several', collect)
    .option('--global', 'the key can read every brand')
    .option('--ingest', 'the key can send records and read none')
    .option(
      '--collections <paths>',
      'the collections that an ingest key can send records of, separated by commas; all by default',
    )
    .option(
      '--webhook',
      'also issue a secret that the messages of an ingest key can be signed with',
    )
    .option('--name <name>', 'what the key is for', '')
    .option('--expires <when>', 'a time in ISO 8601, or a duration such as 90d, 12h or 30m')
    .option('--rate <n>', "requests per second, instead of the server's limit")
    .option('--burst <n>', "requests at once, instead of the server's limit")
    .option('--json', 'print JSON')
    .action((options: IssueOptions) =>
      withKeys(async ({ keys, store, secret }) => {
        const brands = [...new Set(options.brand ?? [])]
        checkUsage(options, brands)
        const collections = readCollections(options.collections)
        for (const brand of brands) await requireBrand(store, brand)
        const issued = await keys.issue({
          name: options.name ?? '',
          brands,
          global: Boolean(options.global),
          kind: options.ingest ? 'ingest' : 'read',
          collections,
          webhook: Boolean(options.webhook),
          expiresAt: options.expires === undefined ? null : readMoment(options.expires, Date.now()),
          perSecond: readAmount('--rate', options.rate),
          burst: readWhole('--burst', options.burst),
        })
        showKey(
          withSecret(issued, secret),
          `Issued ${issued.id} for ${scopeOf(issued)}${issued.expiresAt ? `, until ${issued.expiresAt}` : ''}.`,
          Boolean(options.json),
        )
      }),
    )

  keys
    .command('list')
    .description('List the keys without their secrets.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withKeys(async ({ keys }) => {
        const all = await keys.list()
        createOutput(Boolean(options.json)).result(all, () =>
          all.length === 0
            ? 'There are no keys. Issue one: selvedge keys issue --brand <slug>'
            : asTable(
                ['id', 'name', 'kind', 'scope', 'state', 'created', 'last used', 'expires'],
                all.map((key) => [
                  key.id,
                  key.name,
                  key.kind,
                  scopeOf(key),
                  stateOf(key, Date.now()),
                  key.createdAt,
                  key.lastUsedAt ?? 'never',
                  key.expiresAt ?? 'never',
                ]),
              ),
        )
      }),
    )

  keys
    .command('revoke')
    .description('Revoke a key. All servers reject it within a second.')
    .argument('<id>', 'the id of the key, as keys list shows it')
    .option('--json', 'print JSON')
    .action((id: string, options: { json?: boolean }) =>
      withKeys(async ({ keys }) => {
        const revoked = await keys.revoke(id)
        if (!revoked) throw noSuchKey(id)
        createOutput(Boolean(options.json)).result(
          revoked,
          () => `Revoked ${revoked.id}. All servers reject it within a second.`,
        )
      }),
    )

  keys
    .command('rotate')
    .description(
      'Replace a key by a new one with the same rights. The old key works until the overlap ends.',
    )
    .argument('<id>', 'the id of the key, as keys list shows it')
    .option('--overlap <duration>', 'how long the old key still works, such as 7d or 12h', '7d')
    .option('--json', 'print JSON')
    .action((id: string, options: { overlap: string; json?: boolean }) =>
      withKeys(async ({ keys, secret }) => {
        const overlap = readDuration(options.overlap)
        const issued = await keys.rotate(id, overlap)
        if (!issued) throw notRotated(id, await keys.list())
        const old = (await keys.list()).find((key) => key.id === id)
        showKey(
          withSecret(issued, secret),
          `Issued ${issued.id} to replace ${id}, which works until ${old?.expiresAt}.`,
          Boolean(options.json),
        )
      }),
    )
}

/** Does not wait for an import that holds the write lock, so that keys can be revoked at once. */
const withKeys = (work: (records: Records) => Promise<void>): Promise<void> =>
  withRecords(work, { repairsSecurity: false })

const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]

/** Fails if options contradict each other. */
const checkUsage = (options: IssueOptions, brands: readonly string[]): void => {
  const { ingest, global } = options
  if (ingest && (global || brands.length === 0)) {
    throw new UsageError('Choose the brands of the ingest key: use --brand <slug>.')
  }
  if (Boolean(global) === brands.length > 0) {
    throw new UsageError('Choose what the key can read: use either --brand <slug> or --global.')
  }
  for (const name of ['collections', 'webhook'] as const) {
    if (options[name] && !ingest) throw new UsageError(`--${name} needs --ingest.`)
  }
}

const readCollections = (text: string | undefined): readonly string[] | null => {
  if (text === undefined) return null
  const paths = [...new Set(text.split(',').map((each) => each.trim()))]
  const unknown = paths.find((path) => catalog.byPath.get(path)?.scope !== 'brand')
  if (unknown === undefined) return paths
  throw new CommandError(
    catalog.byPath.has(unknown)
      ? `--collections: ${unknown} is shared by all brands, and no key can send records of it.`
      : `--collections: there is no collection "${unknown}". Use paths such as orders,order-items.`,
  )
}

/** An issued key, with its signing secret if it has one. */
type ShownKey = IssuedKey & { readonly signingSecret?: string }

const withSecret = (issued: IssuedKey, secret: string): ShownKey =>
  issued.webhook ? { ...issued, signingSecret: signingSecretOf(secret, issued.id) } : issued

/**
 * Shows a new key, once. Standard output gets only the key, so that `KEY=$(selvedge keys issue …)`
 * works, and on a second line the secret for signing its messages, if any.
 */
const showKey = (issued: ShownKey, sentence: string, json: boolean): void => {
  const { key, signingSecret } = issued
  const shown = signingSecret ? 'The key and the signing secret are' : 'The key is'
  const stored = signingSecret ? 'them' : 'it'
  if (!json) {
    process.stderr.write(
      `${sentence}\n${shown} shown only once. Store ${stored} in a safe place:\n`,
    )
  }
  createOutput(json).result(issued, () => (signingSecret ? `${key}\n${signingSecret}` : key))
}

/** The reason why a key cannot be rotated. */
const notRotated = (id: string, all: readonly KeyRecord[]): CommandError => {
  const old = all.find((key) => key.id === id)
  if (!old) return noSuchKey(id)
  if (old.revokedAt) return new CommandError(`${id} has been revoked. Issue a new key instead.`)
  return new CommandError(
    `${id} has already been rotated: its successor is ${old.successorId}, and it works until ${old.expiresAt}. To replace the successor: selvedge keys rotate ${old.successorId}`,
  )
}

const noSuchKey = (id: string): CommandError =>
  new CommandError(`Key ${id} does not exist. See: selvedge keys list`)

const scopeOf = ({ global, brands, collections }: KeyRecord): string => {
  const scope = global ? 'every brand' : brands.join(', ')
  return collections ? `${scope}: ${collections.join(', ')}` : scope
}

const stateOf = ({ revokedAt, expiresAt, successorId }: KeyRecord, now: number): string => {
  if (revokedAt) return 'revoked'
  if (expiresAt && Date.parse(expiresAt) <= now) return 'expired'
  return successorId ? `replaced by ${successorId}` : 'good'
}

const readAmount = (option: string, text: string | undefined): number | null => {
  if (text === undefined) return null
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0) {
    throw new CommandError(`${option} is not valid. Use a number greater than 0.`)
  }
  return value
}

const readWhole = (option: string, text: string | undefined): number | null => {
  if (text === undefined) return null
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new CommandError(`${option} is not valid. Use a whole number from 1 to 999999999.`)
  }
  return Number(text)
}
