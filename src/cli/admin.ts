import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { type ListedSession, linkMinutes, openSessions, type Sessions } from '#admin'
import type { Config } from '#config'
import { readServiceConfig, urlAt } from '#server'
import { demoPortOf, linkAt } from './admin-process.ts'
import { identity } from './identity.ts'
import { asTable, CommandError, createOutput, UsageError } from './output.ts'
import { withRecords } from './records.ts'

interface JsonOption {
  readonly json?: boolean
}

interface EndOptions extends JsonOption {
  readonly all?: boolean
}

export const addAdmin = (program: Command): void => {
  const admin = program
    .command('admin')
    .description('Sign in to the operator page, and list and end its sessions.')

  admin
    .command('link', { isDefault: true })
    .description(
      `Print a link that signs in to the operator page. It works once, within ${linkMinutes} minutes. Needs --as or SELVEDGE_OPERATOR, for the audit log. The default.`,
    )
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      const config = readServiceConfig()
      const operator = identity().operator ?? config.operator
      if (!operator) {
        throw new UsageError(
          'Say who signs in, for the audit log: selvedge admin --as <name>, or set SELVEDGE_OPERATOR.',
        )
      }
      const url = pageUrlOf(config)
      await withSessions(async (sessions) => {
        const { id, token, expiresAt } = await sessions.issueLink(operator)
        const link = linkAt(url, token)
        if (!options.json) {
          process.stderr.write(
            `Signs in as ${operator}. Works once, until ${expiresAt}. To end it: selvedge admin end ${id}\n`,
          )
        }
        createOutput(Boolean(options.json)).result({ id, operator, link, expiresAt }, () => link)
      })
    })

  admin
    .command('sessions')
    .description('List the sessions that have not ended, and the links that can still be used.')
    .option('--json', 'print JSON')
    .action((options: JsonOption) =>
      withSessions(async (sessions) => {
        const all = await sessions.list()
        createOutput(Boolean(options.json)).result(all, () => tableOf(all))
      }),
    )

  admin
    .command('end')
    .description('End a session or a link, at once.')
    .argument('[id]', 'the id, as admin sessions shows it')
    .option('--all', 'end all of them')
    .option('--json', 'print JSON')
    .action((id: string | undefined, options: EndOptions) => {
      if ((id === undefined) === !options.all) {
        throw new UsageError('Say which session to end: use either <id> or --all.')
      }
      return withSessions(async (sessions) => {
        const ended = await sessions.end(id === undefined ? null : [id])
        if (id !== undefined && ended.length === 0) {
          throw new CommandError(
            `There is no session ${id}, or it has ended. See: selvedge admin sessions`,
          )
        }
        createOutput(Boolean(options.json)).result(ended, () =>
          ended.length === 0 ? 'There was no session.' : `Ended: ${ended.map(nameOf).join(', ')}.`,
        )
      })
    })
}

/** Where the page is, as far as the settings say. */
const pageUrlOf = ({ adminUrl, adminHost, adminPort, port }: Config): string => {
  if (adminUrl !== null) return adminUrl
  if (adminPort === 0) {
    throw new CommandError(
      'ADMIN_PORT is 0, so the port of the operator page is not known. Set it to the port that serve printed.',
    )
  }
  if (adminPort === null) {
    process.stderr.write(
      'ADMIN_PORT is not set, so this is where the demo (npm start) serves the operator page.\n',
    )
  }
  return urlAt(adminHost, adminPort ?? demoPortOf(port))
}

/** Does not wait for an import that holds the write lock, so that sessions can be ended at once. */
const withSessions = (work: (sessions: Sessions) => Promise<void>): Promise<void> =>
  withRecords(
    async ({ keyDatabase, audit }) =>
      work(
        await openSessions({
          ...{ database: keyDatabase, recordAudit: audit.record },
          ...{ now: Date.now, random: randomBytes },
        }),
      ),
    { repairsSecurity: false },
  )

const nameOf = ({ id, operator }: ListedSession): string => `${id} of ${operator}`

const tableOf = (all: readonly ListedSession[]): string =>
  all.length === 0
    ? 'No operator is signed in. To sign in: selvedge admin --as <name>'
    : asTable(
        ['id', 'operator', 'signed in', 'last used', 'ends'],
        all.map(({ id, operator, signedInAt, lastUsedAt, expiresAt }) => [
          ...[id, operator, signedInAt ?? 'not yet', lastUsedAt ?? '-', expiresAt],
        ]),
      )
