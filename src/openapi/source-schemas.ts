import { type Catalog, type Schema, sourcePageSize } from '#contract'
import { objectSchema, schemaRef } from './components.ts'
import { afterWriteParameter, responsesFor } from './operations.ts'

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const ofAll = (description: string): Schema => ({
  ...count(`${description} Null for a key that is limited to groups.`),
  type: ['integer', 'null'],
})
const text = (description: string): Schema => ({ type: 'string', description })
const maybeText = (description: string): Schema => ({ type: ['string', 'null'], description })
const time = (description: string): Schema => ({ ...text(description), format: 'date-time' })
const maybeTime = (description: string): Schema => ({
  ...maybeText(description),
  format: 'date-time',
})
const maybe = (schema: Schema, description: string): Schema => ({
  description,
  anyOf: [schema, { type: 'null' }],
})
const list = (items: Schema, description: string): Schema => ({ type: 'array', description, items })

const sourceKind: Schema = {
  type: 'string',
  enum: ['watch', 'sync', 'ingest'],
  description: 'watch: files of a folder or a bucket. sync: rows of a database. ingest: requests.',
}
const sourceName = text('Its name, without the folders of the machine.')
const ofSource = (otherwise: string): Schema =>
  maybe(schemaRef('SourceName'), `The source; null ${otherwise}.`)

/** The schemas of record sources. */
export const sourceSchemas: { readonly [name: string]: Schema } = {
  Sources: objectSchema("Where a brand's records come from continuously.", {
    needsAttention: {
      type: 'boolean',
      description: 'Whether a source is failing, or a unit or a row is in quarantine.',
    },
    sources: list(schemaRef('Source'), 'The sources, by kind and name.'),
    quarantine: objectSchema('The rows that wait beside the records.', {
      rows: count('How many rows there are.'),
      waiting: count('Those of them that wait for a record they refer to.'),
      groups: list(
        objectSchema('The rows of a group and a source.', {
          group: text('The group of the records.'),
          source: ofSource('for rows that a command imported'),
          rows: count('How many rows there are.'),
          waiting: count('Those of them that wait for a record.'),
        }),
        'The same by group and source.',
      ),
    }),
  }),
  SourceName: objectSchema('A source.', { kind: sourceKind, name: sourceName }),
  Source: objectSchema('A source and its progress.', {
    kind: sourceKind,
    name: sourceName,
    state: {
      type: 'string',
      enum: ['idle', 'working', 'failing'],
      description:
        'failing: the last attempt failed, or a unit is in quarantine. Operators see why: `selvedge sources`.',
    },
    startedAt: maybeTime('When it last began to work.'),
    succeededAt: maybeTime('When it last stored something, or found nothing new.'),
    failedAt: maybeTime('When it last failed.'),
    behindSince: maybeTime(
      'Since when data may be waiting to be stored, which determines the lag; null if none is.',
    ),
    waiting: ofAll('Files, rows or batches that wait.'),
    processed: ofAll('Files, rows or batches that were accepted since the source was first seen.'),
    failed: ofAll('Files, rows or batches that were rejected since then.'),
    quarantinedUnits: ofAll(
      'Units that failed too often or look wrong. An operator decides about them.',
    ),
    quarantinedRows: count('Rows that wait beside the records.'),
    waitingRows: count('Those of these rows that wait for a record they refer to.'),
  }),
  SourceUnits: objectSchema('The last units that have ended.', {
    items: list(schemaRef('SourceUnit'), 'The latest first. Units are kept for three days.'),
  }),
  SourceUnit: objectSchema('Records that were stored together, or not at all.', {
    id: text('Its id, as `selvedge intake` lists it.'),
    kind: {
      type: 'string',
      enum: ['batch', 'file', 'round', 'import'],
      description: 'A request, a dropped file, a round of a sync, or a command.',
    },
    source: ofSource('for a command'),
    title: maybeText('The name of the file, or the group of a round that reads one.'),
    state: {
      type: 'string',
      enum: ['done', 'refused', 'quarantined'],
      description:
        'refused: nothing was stored. quarantined: it failed too often or looks wrong, and an operator decides.',
    },
    attempts: count('Attempts to store it.'),
    receivedAt: time('When it arrived.'),
    finishedAt: time('When it ended.'),
    isDryRun: { type: 'boolean', description: 'Whether it was only checked.' },
    groups: list(
      objectSchema('What it did to a group.', {
        group: text('The group of the records.'),
        read: count('Rows that were read.'),
        added: count('Records that were added.'),
        changed: count('Records that were changed.'),
        removed: count('Records that were removed.'),
        quarantined: count('Rows that were put in quarantine.'),
      }),
      'What it did. Empty if it stored nothing.',
    ),
    problems: count('How many problems it has.'),
    firstProblem: maybe(schemaRef('RowProblem'), 'The first problem of a refused unit.'),
  }),
  SourceRows: objectSchema('One page of the rows that wait beside the records.', {
    items: list(schemaRef('SourceRow'), 'Those that wait longest come first.'),
    nextCursor: maybeText('cursor of the next page; null after the last one.'),
    totalItems: count('How many rows there are on all pages.'),
  }),
  SourceRow: objectSchema('A row that cannot be stored now, without its cells.', {
    id: text('Its id, the same whenever the row comes again.'),
    group: text('The group of its record.'),
    key: maybeText('The identity of its record, with parts joined by colons; null if unreadable.'),
    title: maybeText('What people call the record.'),
    source: ofSource('if a command imported it'),
    file: text('The name of its file or query.'),
    line: { type: ['integer', 'null'], minimum: 1, description: 'Its line or row, if it has one.' },
    problems: list(schemaRef('RowProblem'), 'Why it cannot be stored, at most 20.'),
    waitsFor: maybe(
      objectSchema('A record that a row refers to.', {
        field: text('The field that refers to it.'),
        group: text('Its group.'),
        value: text('Its identity, or what the row has for it.'),
      }),
      'The missing record; null if the row itself has to be corrected.',
    ),
    parent: maybe(
      objectSchema('A record.', { group: text('Its group.'), id: text('Its identity.') }),
      'The record that the row is a part of, if known.',
    ),
    since: time('Since when it waits.'),
    triedAt: time('When it was last tried.'),
  }),
  RowProblem: objectSchema('A problem of a row.', {
    file: text('The name of its file or query.'),
    line: { type: ['integer', 'null'], minimum: 1, description: 'Its line or row, if it has one.' },
    key: maybeText(
      'What its source calls the row: the columns of its key, or the title and natural keys of its record.',
    ),
    field: text('A JSON pointer into the record; empty for the whole row.'),
    column: maybeText('The columns that the mapping reads the field from; null without a mapping.'),
    value: text('The value, truncated.'),
    reason: text('What is wrong with it.'),
    severity: { type: 'string', enum: ['error', 'warning'] },
  }),
}

const brand: Schema = { $ref: '#/components/parameters/brand' }
const limit: Schema = {
  name: 'limit',
  in: 'query',
  description: `Maximum number of items: from ${sourcePageSize.minimum} to ${sourcePageSize.maximum}.`,
  schema: { type: 'integer', ...sourcePageSize },
}

const notRecords =
  'Errors of databases and folders, and the cells of rows, are for operators only: `selvedge sources`, `selvedge intake`.'

export const describeSources: Schema = {
  operationId: 'querySources',
  tags: ['Sources'],
  summary: 'Get the sources of the records',
  description: `Where records come from continuously: watched folders, databases and requests, with their states, and the number of rows that wait beside the records. ${notRecords}`,
  parameters: [brand, afterWriteParameter],
  responses: responsesFor({ description: 'The sources', schema: schemaRef('Sources') }),
}

export const describeSourceUnits: Schema = {
  operationId: 'querySourceUnits',
  tags: ['Sources'],
  summary: 'Get the last units of work',
  description: `The last batches, files and rounds that have ended, each with how many records it added, changed and removed. ${notRecords}`,
  parameters: [brand, limit, afterWriteParameter],
  responses: responsesFor({ description: 'The units', schema: schemaRef('SourceUnits') }),
}

export const describeSourceRows = ({ resources }: Catalog): Schema => ({
  operationId: 'querySourceRows',
  tags: ['Sources'],
  summary: 'Get the rows in quarantine',
  description: `The rows that cannot be stored now, with their problems and the records they wait for. To correct them, an operator writes them to a file: \`selvedge intake rows --write bad.csv\`. ${notRecords}`,
  parameters: [
    brand,
    limit,
    {
      name: 'cursor',
      in: 'query',
      description: 'nextCursor of the page before.',
      schema: { type: 'string', pattern: '^[\\w-]{1,64}$' },
    },
    {
      name: 'group',
      in: 'query',
      description: 'Only rows of this group.',
      schema: { type: 'string', enum: resources.map(({ path }) => path) },
    },
    afterWriteParameter,
  ],
  responses: responsesFor({ description: 'The rows', schema: schemaRef('SourceRows') }),
})
