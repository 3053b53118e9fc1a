import { publishedViewLimits, publishedViewsOperation, type Schema } from '#contract'
import { objectSchema, schemaRef } from './components.ts'
import { afterWriteParameter, responsesFor } from './operations.ts'

/** The schemas of views that an operator publishes. */
export const publishedViewSchemas: { readonly [name: string]: Schema } = {
  PublishedViews: objectSchema('The views of lists that an operator has published.', {
    items: {
      type: 'array',
      maxItems: publishedViewLimits.perBrand,
      description: 'The views, in the order in which they were added.',
      items: schemaRef('PublishedView'),
    },
  }),
  PublishedView: objectSchema('A list with a name.', {
    name: {
      type: 'string',
      maxLength: publishedViewLimits.name,
      description: 'Its name, of which the brand has one.',
    },
    group: { type: 'string', description: 'The group of its records.' },
    query: {
      type: 'string',
      maxLength: publishedViewLimits.query,
      description:
        "The parameters of the list's URL in the console, such as `view=late&orderDate.gte=today-30`. Days such as `today-30` or `monday` count from today; `fields` may name columns that are not fields.",
    },
  }),
}

export const describePublishedViews: Schema = {
  operationId: publishedViewsOperation,
  tags: ['Views'],
  summary: 'Get the published views',
  description:
    'The views of lists that an operator has published for the brand with `selvedge views` or on the operator page. A key that is limited to groups gets those whose list it may read.',
  parameters: [{ $ref: '#/components/parameters/brand' }, afterWriteParameter],
  responses: responsesFor({ description: 'The views', schema: schemaRef('PublishedViews') }),
}
