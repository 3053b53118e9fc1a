import { readFile } from 'node:fs/promises'
import { releaseOf } from '#config'
import { catalog, domains } from '#contract'
import { openStory } from '#demo'
import { mappingSchema } from '#mapping'
import {
  buildDocument,
  buildFeedDocument,
  buildIngestDocument,
  buildQueryDocument,
  type Examples,
  shareRepeated,
} from '#openapi'
import { sqliteDialect } from '../src/database/sqlite/dialect.ts'
import { changeIndexes, changeTables } from '../src/store/schema/change-tables.ts'
import { statsTables } from '../src/store/schema/collection-stats.ts'
import { createTable, tablesOf } from '../src/store/schema/tables.ts'
import { groupsFile } from './client/groups.ts'
import { recordsFile } from './client/records.ts'
import { responsesFile } from './client/responses.ts'
import { airbyteManifest } from './connectors/airbyte.ts'
import { dbtSources } from './connectors/dbt.ts'
import { llmsText } from './connectors/llms.ts'
import { openApi30 } from './connectors/openapi-3.0.ts'
import { postmanCollection } from './connectors/postman.ts'
import { countedPages } from './counted-pages.ts'
import { chartMetadata, chartSchema, chartValuesFile, kubernetesManifest } from './helm/files.ts'
import { alertsFile } from './monitoring/alerts.ts'
import { grafanaDashboard } from './monitoring/grafana.ts'
import { auditPage } from './reference/audit.ts'
import { codesPage } from './reference/codes.ts'
import { commandsPage } from './reference/commands.ts'
import { configurationPage } from './reference/configuration.ts'
import { errorsPage } from './reference/errors.ts'
import { mappingPage } from './reference/mapping.ts'
import { metricsPage } from './reference/metrics.ts'
import { reliabilityPage } from './reference/reliability.ts'
import { domainFile, domainPage, resourcesIndex } from './reference/resources.ts'
import { rulesPage } from './reference/rules.ts'
import { toolsPage } from './reference/tools.ts'
import { viewsPage } from './reference/views.ts'
import { whereTablesGoPage } from './reference/where-does-my-table-go.ts'

export interface GeneratedFile {
  /** Relative to the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Every generated file with its expected content. */
export const generatedFiles = async (): Promise<readonly GeneratedFile[]> => [
  ...derivedFrom(await examples()),
  ...(await deploymentFiles(await releaseOf())),
  ...countedPages(),
  { path: 'docs/reference/audit.md', text: auditPage() },
  { path: 'docs/reference/codes.md', text: codesPage() },
  { path: 'docs/reference/errors.md', text: errorsPage() },
  { path: 'docs/reference/metrics.md', text: metricsPage() },
  { path: 'docs/reference/configuration.md', text: configurationPage() },
  { path: 'docs/reference/commands.md', text: commandsPage() },
  { path: 'docs/reference/rules.md', text: rulesPage() },
  { path: 'docs/explanation/reliability.md', text: reliabilityPage() },
  { path: 'docs/reference/tools.md', text: toolsPage() },
  { path: 'docs/reference/views.md', text: viewsPage() },
  { path: 'docs/reference/mapping.md', text: mappingPage() },
  { path: 'docs/reference/where-does-my-table-go.md', text: whereTablesGoPage() },
  { path: 'docs/reference/mapping.schema.json', text: asJson(mappingSchema(catalog)) },
  { path: 'docs/reference/resources/README.md', text: resourcesIndex() },
  ...domains.map((domain) => ({
    path: `docs/reference/${domainFile(domain)}`,
    text: domainPage(domain),
  })),
  { path: 'test/golden/ddl.sqlite.sql', text: ddl() },
  { path: 'client/src/generated/records.ts', text: recordsFile() },
  { path: 'client/src/generated/groups.ts', text: groupsFile() },
  { path: 'client/src/generated/responses.ts', text: responsesFile() },
]

/** Descriptions of the API for other programs. */
const derivedFrom = (samples: Examples): readonly GeneratedFile[] => {
  const document = buildDocument(catalog, samples)
  const shared = shareRepeated(document)
  return [
    { path: 'openapi.json', text: asDocument(shared) },
    {
      path: 'connectors/openapi.query.json',
      text: asDocument(shareRepeated(buildQueryDocument(catalog, samples))),
    },
    { path: 'connectors/openapi.feed.json', text: asDocument(buildFeedDocument(catalog, samples)) },
    {
      path: 'connectors/openapi.ingest.json',
      text: asDocument(buildIngestDocument(catalog, samples)),
    },
    { path: 'connectors/llms.txt', text: llmsText() },
    { path: 'connectors/airbyte.yaml', text: airbyteManifest() },
    { path: 'examples/dbt-duckdb/models/sources.yml', text: dbtSources() },
    { path: 'connectors/openapi-3.0.json', text: asDocument(openApi30(shared)) },
    { path: 'connectors/postman.json', text: asDocument(postmanCollection(document, samples)) },
  ]
}

/** The Helm chart, and the manifest for clusters without Helm. */
const deploymentFiles = async (version: string): Promise<readonly GeneratedFile[]> => {
  const manifest = 'deploy/kubernetes/selvedge.yaml'
  const present = await readFile(new URL(`../${manifest}`, import.meta.url), 'utf8')
  return [
    { path: 'deploy/helm/selvedge/Chart.yaml', text: chartMetadata(version) },
    { path: 'deploy/helm/selvedge/values.yaml', text: chartValuesFile() },
    { path: 'deploy/helm/selvedge/values.schema.json', text: asJson(chartSchema()) },
    { path: 'deploy/alerts.yaml', text: alertsFile() },
    { path: 'deploy/grafana.json', text: asJson(grafanaDashboard()) },
    { path: manifest, text: kubernetesManifest(version, present) },
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

/** JSON with one line for each value that fits into it: large documents are mostly of small objects. */
const asDocument = (value: unknown): string => `${linesOf(value, '')}\n`

const lineLength = 120

const linesOf = (value: unknown, indent: string): string => {
  const text = JSON.stringify(value)
  if (text.length <= lineLength || typeof value !== 'object' || value === null) return text
  const inner = `${indent} `
  const lines = Array.isArray(value)
    ? value.map((each) => inner + linesOf(each, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${inner}${JSON.stringify(name)}: ${linesOf(each, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

/** The schema of a new SQLite database, so that reviews show schema changes. */
const ddl = (): string => {
  const statements = [
    ...[...statsTables(sqliteDialect), ...changeTables(sqliteDialect)].map((table) => table.ddl),
    ...Object.values(changeIndexes).map((index) => index.ddl),
    ...[...tablesOf(catalog).values()].flatMap((table) => createTable(table, sqliteDialect)),
  ]
  return [
    '-- Generated by tools/generate.ts. Do not edit: run npm run generate.',
    ...statements.map((statement) => `${statement};`),
    '',
  ].join('\n')
}
