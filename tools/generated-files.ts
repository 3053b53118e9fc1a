import { catalog, domains } from '#contract'
import { openStory } from '#demo'
import { buildDocument, buildFeedDocument, type Examples } from '#openapi'
import { sqliteDialect } from '../src/database/sqlite.ts'
import { changeIndexes, changeTables } from '../src/store/changes.ts'
import { ledgerTables } from '../src/store/ledger.ts'
import { createTable, tablesOf } from '../src/store/tables.ts'
import { commandsPage } from './reference/commands.ts'
import { configurationPage } from './reference/configuration.ts'
import { errorsPage } from './reference/errors.ts'
import { domainFile, domainPage, resourcesIndex } from './reference/resources.ts'
import { rulesPage } from './reference/rules.ts'

export interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string
  readonly text: string
}

/** Every file that is made from the code, as it should be. */
export const generatedFiles = async (): Promise<readonly GeneratedFile[]> => [
  { path: 'openapi.json', text: asJson(buildDocument(catalog, await examples())) },
  { path: 'openapi.feed.json', text: asJson(buildFeedDocument(catalog, await examples())) },
  { path: 'docs/reference/errors.md', text: errorsPage() },
  { path: 'docs/reference/configuration.md', text: configurationPage() },
  { path: 'docs/reference/commands.md', text: commandsPage() },
  { path: 'docs/reference/rules.md', text: rulesPage() },
  { path: 'docs/reference/resources/README.md', text: resourcesIndex() },
  ...domains.map((domain) => ({
    path: `docs/reference/${domainFile(domain)}`,
    text: domainPage(domain),
  })),
  { path: 'test/golden/ddl.sqlite.sql', text: ddl() },
]

/** The first record of each collection in the demo story. */
const examples = async (): Promise<Examples> => {
  const { records, shared } = await openStory()
  return Object.fromEntries(
    Object.entries({ ...records, ...shared }).flatMap(([path, [first]]) =>
      first === undefined ? [] : [[path, first]],
    ),
  ) as Examples
}

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`

/** The tables of a new SQLite database, so that a change of theirs is seen where it is reviewed. */
const ddl = (): string => {
  const statements = [
    ...[...ledgerTables(sqliteDialect), ...changeTables(sqliteDialect)].map((table) => table.ddl),
    ...Object.values(changeIndexes).map((index) => index.ddl),
    ...[...tablesOf(catalog).values()].flatMap((table) => createTable(table, sqliteDialect)),
  ]
  return [
    '-- Made from the contract by tools/generate.ts. Do not edit: run npm run generate.',
    ...statements.map((statement) => `${statement};`),
    '',
  ].join('\n')
}
