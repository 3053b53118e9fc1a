import {
  type Catalog,
  lineageDirections,
  lineageLimits,
  lineageOperationsOf,
  type QueryOperation,
  type Schema,
} from '#contract'
import { type Examples, objectSchema, schemaRef } from './components.ts'
import { afterWriteParameter, idParameter, responsesFor } from './operations.ts'

const place = (description: string): Schema => ({ type: 'integer', minimum: 0, description })

const relation = {
  record: place('The place of the record in records.'),
  relation: {
    type: 'string',
    description:
      'A reference of the record by its field, such as `supplierId`, or a list of records that refer to it, such as `order-items?orderId`.',
  },
} as const

/** The lineage of a record, and its parts. */
export const lineageSchemasOf = (catalog: Catalog): { readonly [name: string]: Schema } => ({
  LineageRecord: objectSchema('A record along the chain.', {
    group: {
      type: 'string',
      enum: catalog.resources.map(({ path }) => path),
    },
    id: { type: 'string', description: 'Its identity; several parts are joined by commas.' },
    depth: { type: 'integer', minimum: 0, description: 'Steps from the start.' },
    isMissing: {
      type: 'boolean',
      description: 'Another record refers to it, and it does not exist.',
    },
    reachedBy: {
      anyOf: [objectSchema('The relation that led to it.', relation), { type: 'null' }],
      description: 'Null of the start.',
    },
    record: {
      type: 'object',
      description:
        'The record as its own path returns it, without the records that it refers to; of a missing one its identity.',
    },
  }),
  Lineage: objectSchema(
    'The records along the chain from a record, up to what it came from and down to what follows.',
    {
      group: {
        type: 'string',
        enum: lineageOperationsOf(catalog).map(({ resource }) => resource.path),
      },
      id: { type: 'string' },
      ended: {
        type: 'string',
        enum: ['complete', 'depth', 'limit', 'reads', 'time'],
        description: 'complete, or what the chain was not followed any further for.',
      },
      reads: { type: 'integer', minimum: 0, description: 'Lists and records that were read.' },
      records: {
        type: 'array',
        items: schemaRef('LineageRecord'),
        description: 'In the order in which they were found; the first is the start.',
      },
      references: {
        type: 'array',
        description: 'The references between the records.',
        items: objectSchema('A reference.', {
          from: place('The place of the record that refers to another one.'),
          to: place('The place of the other one.'),
          via: { type: 'string', description: 'The field, or the filter that found it.' },
        }),
      },
      truncated: {
        type: 'array',
        description: 'Lists of which only some records are here.',
        items: objectSchema('A list.', {
          ...relation,
          totalItems: { type: 'integer', minimum: 0, description: 'How many it has, exactly.' },
          shown: { type: 'integer', minimum: 0, description: 'How many of them are here.' },
          url: { type: 'string', description: 'Path of the list with all of them.' },
        }),
      },
      followed: {
        type: 'array',
        description: 'The relations that were read.',
        items: objectSchema('A relation.', relation),
      },
      left: {
        type: 'array',
        description: 'The relations that were not read, because a limit was reached.',
        items: objectSchema(
          'A relation, and where the chain continues from the records that it leads to.',
          {
            ...relation,
            up: { type: 'boolean' },
            down: { type: 'boolean' },
          },
        ),
      },
    },
  ),
})

export const describeLineage = ({ id, resource }: QueryOperation, examples: Examples): Schema => ({
  operationId: id,
  tags: [resource.group],
  summary: `Trace the lineage of one of ${resource.path}`,
  description:
    'Follows the chain from the product to the payment: up to what the record came from, and down to what follows from it. Long lists are truncated to their first records, with their exact totals.',
  parameters: [
    { $ref: '#/components/parameters/brand' },
    idParameter(resource, examples),
    {
      name: 'direction',
      in: 'query',
      description: 'up: what the record came from; down: what follows from it.',
      schema: { type: 'string', enum: lineageDirections, default: 'both' },
    },
    {
      name: 'depth',
      in: 'query',
      description: 'Maximum number of steps from the record. Default: as many as there are.',
      schema: { type: 'integer', ...lineageLimits.depth },
    },
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of records, the record itself included.',
      schema: { type: 'integer', ...lineageLimits.records },
    },
    {
      name: 'first',
      in: 'query',
      description: `Identities of records that come first where a list is truncated, separated by commas: at most ${lineageLimits.first}.`,
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'string' }, maxItems: lineageLimits.first },
    },
    afterWriteParameter,
  ],
  responses: responsesFor({ description: 'The lineage', schema: schemaRef('Lineage') }),
})
