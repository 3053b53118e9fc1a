import type { Command } from 'commander'
import type { HostState } from '#database'
import { openServiceDatabase, readServiceConfig } from '#server'
import { asTable, CommandError, createOutput } from './output.ts'

export const addDatabase = (program: Command): void => {
  const database = program
    .command('database')
    .description('Decide which PostgreSQL server is used.')

  database
    .command('accept')
    .description(
      'Continue with the server that takes writes, although it is on an earlier timeline or has another system identifier than the one that was used last.',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const { accepted, hosts } = await accept()
      createOutput(Boolean(options.json)).result({ accepted, hosts }, () =>
        [
          accepted
            ? `Accepted ${accepted.name}, on timeline ${accepted.timeline}. Running servers use it within a second.`
            : 'There is nothing to accept: the server that takes writes is used.',
          '',
          asTable(
            ['host', 'role', 'timeline', 'left out'],
            hosts.map(({ name, role, timeline, leftOut }) => [
              ...[name, role, String(timeline ?? '-'), leftOut ?? '-'],
            ]),
          ),
        ].join('\n'),
      )
    })
}

const accept = async (): Promise<{
  readonly accepted: HostState | null
  readonly hosts: readonly HostState[]
}> => {
  const database = openServiceDatabase(readServiceConfig())
  try {
    if (!database.hosts) {
      throw new CommandError('DATABASE_URL is a SQLite file. This command is for PostgreSQL only.')
    }
    const accepted = await database.hosts.accept()
    return { accepted, hosts: database.hosts.states() }
  } finally {
    await database.close()
  }
}
