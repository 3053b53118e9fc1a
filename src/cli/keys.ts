import type { Command } from 'commander'
import { formatCount } from '#contract'
import { type IssuedKey, type KeyRecord, signingSecretOf } from '#keys'
import type { Records } from '#server'
import { createUsageLog } from '#usage'
import { requireBrand } from './brand.ts'
import { readDuration } from './durations.ts'
import { checkLimits, type LimitOptions, none, readLimits, scopeOf } from './key-limits.ts'
import {
  describeFinding,
  type Finding,
  firstDayOfUse,
  isValid,
  reviewedDays,
  reviewKey,
} from './key-review.ts'
import { asTable, CommandError, createOutput, UsageError } from './output.ts'
import { withRecords } from './records.ts'

interface BrandOptions {
  readonly brand?: readonly string[]
  readonly global?: boolean
}

interface UpdateOptions extends LimitOptions, BrandOptions {
  readonly name?: string
  readonly json?: boolean
}

interface IssueOptions extends UpdateOptions {
  readonly ingest?: boolean
  readonly webhook?: boolean
}

export const addKeys = (program: Command): void => {
  const keys = program
    .command('keys')
    .description('Issue, list, review, update, revoke and rotate API keys.')

  addLimits(
    keys
      .command('issue')
      .description('Issue a key. It is shown only once.')
      .option('--brand <slug>', 'a brand that the key is for; repeat for several', collect)
      .option('--global', 'the key can read every brand')
      .option('--ingest', 'the key can send records and read none')
      .option(
        '--webhook',
        'also issue a secret that the messages of an ingest key can be signed with',
      )
      .option('--name <name>', 'what the key is for', ''),
  )
    .option('--json', 'print JSON')
    .action((options: IssueOptions) =>
      withKeys(async ({ keys, store, secret }) => {
        const brands = [...new Set(options.brand ?? [])]
        checkUsage(options, brands)
        checkNew(options)
        const kind = options.ingest ? 'ingest' : 'read'
        const request = { ...unlimited, ...readLimits(options, Date.now()), kind } as const
        checkLimits(request)
        for (const brand of brands) await requireBrand(store, brand)
        const issued = await keys.issue({
          ...request,
          name: options.name ?? '',
          brands,
          global: Boolean(options.global),
          webhook: Boolean(options.webhook),
        })
        showKey(
          withSecret(issued, secret),
          `Issued ${issued.id} for ${scopeOf(issued)}${untilOf(issued)}.`,
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
    .command('review')
    .description(
      `List what to look at: keys that have not been used for ${reviewedDays.use} days, never expire, expire within ${reviewedDays.expiry} days, can read every brand, or can read more than they used.`,
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withKeys(async (records) => {
        const reviews = await reviewKeys(records, Date.now())
        createOutput(Boolean(options.json)).result(reviews, () => reviewTable(reviews))
      }),
    )

  addLimits(
    keys
      .command('update')
      .description(
        `Change a key. All servers apply the change within a second. An option replaces what the key had; ${none} removes a limit.`,
      )
      .argument('<id>', 'the id of the key, as keys list shows it')
      .option('--brand <slug>', 'a brand that the key is for; repeat for several', collect)
      .option('--global', 'the key can read every brand')
      .option('--name <name>', 'what the key is for'),
  )
    .option('--json', 'print JSON')
    .action((id: string, options: UpdateOptions) =>
      withKeys(async ({ keys, store }) => {
        const { json, ...changed } = options
        if (Object.keys(changed).length === 0)
          throw new UsageError('Say what to change: see --help.')
        const changes = { ...readLimits(options, Date.now()), ...readBrands(options) }
        for (const brand of changes.brands ?? []) await requireBrand(store, brand)
        const { name } = options
        const updated = await keys.update(id, (key) => {
          if (key.revokedAt) throw revoked(id)
          const next = { ...key, ...changes, ...(name !== undefined && { name }) }
          if (next.kind === 'ingest' && next.global) throw ingestBrands()
          checkLimits(next)
          return next
        })
        if (!updated) throw noSuchKey(id)
        createOutput(Boolean(json)).result(
          updated,
          () =>
            `Updated ${id}: ${scopeOf(updated)}${untilOf(updated)}. All servers apply this within a second.`,
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

/** A valid key, with what to look at. */
type Review = Pick<KeyRecord, 'id' | 'name'> & { readonly findings: readonly Finding[] }

const reviewKeys = async (
  { keys, keyDatabase, store }: Records,
  now: number,
): Promise<readonly Review[]> => {
  const all = (await keys.list()).filter((key) => isValid(key, now))
  const brands = (await store.listBrands(null)).map(({ slug }) => slug)
  const uses = await createUsageLog(keyDatabase).keyUses(firstDayOfUse(now))
  return all.map((key) => ({
    id: key.id,
    name: key.name,
    findings: reviewKey(key, { now, brands, uses }),
  }))
}

const reviewTable = (reviews: readonly Review[]): string => {
  const rows = reviews.flatMap(({ id, name, findings }) =>
    findings.map((finding) => [id, name, describeFinding(finding)]),
  )
  return rows.length === 0
    ? `There is nothing to look at: ${formatCount(reviews.length, 'valid key')}.`
    : asTable(['id', 'name', 'look at'], rows)
}

/** Adds the options of limits. */
const addLimits = (command: Command): Command =>
  command
    .option(
      '--only <groups>',
      'the only groups or domains that the key can read, separated by commas',
    )
    .option('--without <groups>', 'groups or domains that the key cannot read')
    .option('--from <addresses>', 'the IP addresses and networks that the key can be used from')
    .option(
      '--collections <paths>',
      'the collections that an ingest key can send records of, separated by commas; all by default',
    )
    .option('--expires <when>', 'a time in ISO 8601, or a duration such as 90d, 12h or 30m')
    .option('--rate <n>', "requests per second, instead of the server's limit")
    .option('--burst <n>', "requests at once, instead of the server's limit")

const unlimited = {
  onlyGroups: null,
  withoutGroups: null,
  addresses: null,
  collections: null,
  expiresAt: null,
  perSecond: null,
  burst: null,
} as const

/** Fails if options contradict each other. */
const checkUsage = (options: IssueOptions, brands: readonly string[]): void => {
  const { ingest, global, webhook } = options
  if (ingest && (global || brands.length === 0)) throw ingestBrands()
  if (Boolean(global) === brands.length > 0) throw eitherBrands()
  if (webhook && !ingest) throw new UsageError('--webhook needs --ingest.')
}

/** Fails if a new key is to have no limit: `--only none` could also mean that it reads nothing. */
const checkNew = (options: LimitOptions): void => {
  const limitNames = ['only', 'without', 'from', 'collections'] as const
  const without = limitNames.find((name) => options[name] === none)
  if (without === undefined) return
  throw new CommandError(`--${without}: a new key has no limit to remove. Leave the option out.`)
}

/** The brands of an update; nothing if they stay as they are. */
const readBrands = ({
  brand,
  global,
}: BrandOptions): Partial<Pick<KeyRecord, 'brands' | 'global'>> => {
  if (brand && global) throw eitherBrands()
  if (global) return { brands: [], global }
  return brand ? { brands: [...new Set(brand)], global: false } : {}
}

const ingestBrands = (): UsageError =>
  new UsageError('Choose the brands of the ingest key: use --brand <slug>.')

const eitherBrands = (): UsageError =>
  new UsageError('Choose what the key can read: use either --brand <slug> or --global.')

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
  if (old.revokedAt) return revoked(id)
  return new CommandError(
    `${id} has already been rotated: its successor is ${old.successorId}, and it works until ${old.expiresAt}. To replace the successor: selvedge keys rotate ${old.successorId}`,
  )
}

const revoked = (id: string): CommandError =>
  new CommandError(`${id} has been revoked. Issue a new key instead.`)

const noSuchKey = (id: string): CommandError =>
  new CommandError(`Key ${id} does not exist. See: selvedge keys list`)

const untilOf = ({ expiresAt }: KeyRecord): string => (expiresAt ? `, until ${expiresAt}` : '')

const stateOf = ({ revokedAt, expiresAt, successorId }: KeyRecord, now: number): string => {
  if (revokedAt) return 'revoked'
  if (expiresAt && Date.parse(expiresAt) <= now) return 'expired'
  return successorId ? `replaced by ${successorId}` : 'good'
}
