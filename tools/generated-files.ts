import { catalog, domains } from '#contract'
import { openStory } from '#demo'
import { buildDocument, buildFeedDocument, type Examples } from '#openapi'
import { sqliteDialect } from '../src/database/sqlite/sqlite.ts'
import { ledgerTables } from '../src/store/schema/collection-stats.ts'
import { createTable, tablesOf } from '../src/store/schema/tables.ts'
import { changeIndexes, changeTables } from '../src/store/write/change-log.ts'
import { groupsFile } from './client/groups.ts'
import { recordsFile } from './client/records.ts'
import { airbyteManifest } from './connectors/airbyte.ts'
import { llmsText } from './connectors/llms.ts'
import { postmanCollection } from './connectors/postman.ts'
import { commandsPage } from './reference/commands.ts'
import { configurationPage } from './reference/configuration.ts'
import { errorsPage } from './reference/errors.ts'
import { domainFile, domainPage, resourcesIndex } from './reference/resources.ts'
import { rulesPage } from './reference/rules.ts'
import { toolsPage } from './reference/tools.ts'
import { trustPage } from './reference/trust.ts'

export interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string
  readonly text: string
}

/** Every file that is made from the code, as it should be. */
export const generatedFiles = async (): Promise<readonly GeneratedFile[]> => [
  ...derivedFrom(await examples()),
  { path: 'docs/reference/errors.md', text: errorsPage() },
  { path: 'docs/reference/configuration.md', text: configurationPage() },
  { path: 'docs/reference/commands.md', text: commandsPage() },
  { path: 'docs/reference/rules.md', text: rulesPage() },
  { path: 'docs/explanation/trust.md', text: trustPage() },
  { path: 'docs/reference/tools.md', text: toolsPage() },
  { path: 'docs/reference/resources/README.md', text: resourcesIndex() },
  ...domains.map((domain) => ({
    path: `docs/reference/${domainFile(domain)}`,
    text: domainPage(domain),
  })),
  { path: 'test/golden/ddl.sqlite.sql', text: ddl() },
  { path: 'client/src/generated/records.ts', text: recordsFile() },
  { path: 'client/src/generated/groups.ts', text: groupsFile() },
]

/** What describes the API to other programs. */
const derivedFrom = (given: Examples): readonly GeneratedFile[] => {
  const document = buildDocument(catalog, given)
  return [
    { path: 'openapi.json', text: asJson(document) },
    { path: 'openapi.feed.json', text: asJson(buildFeedDocument(catalog, given)) },
    { path: 'llms.txt', text: llmsText() },
    { path: 'connectors/airbyte.yaml', text: airbyteManifest() },
    { path: 'connectors/postman.json', text: asJson(postmanCollection(document, given)) },
  ]
}

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
