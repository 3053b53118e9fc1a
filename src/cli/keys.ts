import type { Command } from 'commander'
import { formatCount, type OperatorKeyLimits } from '#contract'
import type { KeyRecord } from '#keys'
import {
  describeFinding,
  issueKey,
  type KeyReview,
  keyState,
  readDuration,
  reviewedDays,
  reviewKeys,
  revokeKey,
  rotateKey,
  type ShownKey,
  scopeOf,
  updateKey,
} from '#operator'
import type { Records } from '#server'
import { asTable, CommandError, createOutput } from './output.ts'
import { operatorOf, withRecords } from './records.ts'

/** The options of a key's limits, as given. */
interface LimitOptions {
  readonly only?: string
  readonly without?: string
  readonly from?: string
  readonly collections?: string
  readonly expires?: string
  readonly rate?: string
  readonly burst?: string
}

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
      withKeys(async (records) => {
        checkNew(options)
        const issued = await issueKey(operatorOf(records), {
          ...limitsIn(options),
          name: options.name ?? '',
          kind: options.ingest ? 'ingest' : 'read',
          brands: options.brand ?? [],
          global: Boolean(options.global),
          webhook: Boolean(options.webhook),
        })
        showKey(
          issued,
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
                  stateOf(key),
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
        const reviews = await reviewKeys(operatorOf(records))
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
      withKeys(async (records) => {
        const { json, name, brand, global } = options
        const updated = await updateKey(operatorOf(records), id, {
          ...limitsIn(options),
          ...(brand && { brands: brand }),
          ...(global && { global }),
          ...(name !== undefined && { name }),
        })
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
      withKeys(async (records) => {
        const revoked = await revokeKey(records, id)
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
      withKeys(async (records) => {
        const overlap = readDuration(options.overlap)
        const { issued, old } = await rotateKey(records, id, overlap)
        showKey(
          issued,
          `Issued ${issued.id} to replace ${id}, which works until ${old.expiresAt}.`,
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

const reviewTable = (reviews: readonly KeyReview[]): string => {
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

/** Removes a limit. */
const none = 'none'

/** The limits that were given; `none` is null. */
const limitsIn = (options: LimitOptions): OperatorKeyLimits => {
  const limit = <Name extends string, T>(
    name: Name,
    text: string | undefined,
    read: (text: string) => T,
  ) =>
    text === undefined
      ? {}
      : ({ [name]: text === none ? null : read(text) } as { [N in Name]: T | null })
  return {
    ...limit('onlyGroups', options.only, listIn),
    ...limit('withoutGroups', options.without, listIn),
    ...limit('addresses', options.from, listIn),
    ...limit('collections', options.collections, listIn),
    ...limit('expires', options.expires, (text) => text),
    ...limit('perSecond', options.rate, (text) => numberIn(text, /^\d+(\.\d+)?$/)),
    ...limit('burst', options.burst, (text) => numberIn(text, /^[1-9]\d{0,8}$/)),
  }
}

const listIn = (text: string): readonly string[] => text.split(',').map((each) => each.trim())

/** A number, or one that is not valid. */
const numberIn = (text: string, pattern: RegExp): number =>
  pattern.test(text) ? Number(text) : Number.NaN

/** Fails if a new key is to have no limit: `--only none` could also mean that it reads nothing. */
const checkNew = (options: LimitOptions): void => {
  const limitNames = ['only', 'without', 'from', 'collections'] as const
  const without = limitNames.find((name) => options[name] === none)
  if (without === undefined) return
  throw new CommandError(`--${without}: a new key has no limit to remove. Leave the option out.`)
}

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

const untilOf = ({ expiresAt }: KeyRecord): string => (expiresAt ? `, until ${expiresAt}` : '')

const stateOf = (key: KeyRecord): string => {
  const state = keyState(key, Date.now())
  return state === 'replaced' ? `replaced by ${key.successorId}` : state
}
