import type { Schema } from '#contract'
import { objectSchema, schemaRef } from './components.ts'

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const time = (description: string): Schema => ({
  type: 'string',
  format: 'date-time',
  description,
})
const current = 'Whether no record that was read has changed since.'

/** The schemas of the findings of business rules. */
export const qualitySchemas: { readonly [name: string]: Schema } = {
  Quality: objectSchema("What the last checks of a brand's records have found.", {
    checkedAt: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When a rule was last checked; null where none ever was.',
    },
    isCurrent: {
      type: 'boolean',
      description: 'Whether every rule was checked, and no record that was read has changed since.',
    },
    rules: objectSchema('How many rules there are: total = passed + broken + unchecked.', {
      total: count('All rules.'),
      passed: count('Rules that were checked and that no record breaks.'),
      broken: count('Rules that were checked and that records break.'),
      unchecked: count('Rules that were never checked: whether records break them is unknown.'),
      outdated: count(
        'Passed or broken rules that were checked before the last change of the records they read.',
      ),
    }),
    unchecked: {
      type: 'array',
      description: 'Ids of the unchecked rules. A running server checks them in the background.',
      items: { type: 'string' },
    },
    findings: {
      type: 'array',
      description: 'The rules that records break: errors first, then warnings.',
      items: schemaRef('Finding'),
    },
    history: {
      type: 'array',
      description:
        'The last checks after which no rule was unchecked, at most 100, the oldest first.',
      items: objectSchema('The state after a check.', {
        checkedAt: time('When it was.'),
        errors: count('How many records broke rules that are errors.'),
        warnings: count('How many records broke rules that are warnings.'),
        counts: {
          type: 'object',
          description: 'How many records broke a rule, by rule.',
          additionalProperties: count('How many records.'),
        },
      }),
    },
  }),
  Finding: objectSchema('A rule that records break.', {
    rule: { type: 'string', description: 'Id of the rule.' },
    severity: {
      type: 'string',
      enum: ['error', 'warning'],
      description: 'error: records contradict each other. warning: unusual, and worth a review.',
    },
    sentence: { type: 'string', description: 'What the rule says.' },
    remedy: { type: 'string', description: 'What to do.' },
    groups: { type: 'array', items: { type: 'string' }, description: 'What the rule is about.' },
    count: count('How many records break it.'),
    checkedAt: time('When it was checked.'),
    isCurrent: { type: 'boolean', description: current },
    records: {
      type: 'array',
      description: 'The first of the records, at most 20.',
      items: objectSchema('A record that breaks the rule.', {
        group: { type: 'string' },
        id: { type: 'string', description: 'The parts of its identity, joined by colons.' },
        title: { type: ['string', 'null'], description: 'What people call it.' },
        detail: {
          type: 'string',
          description: 'What is wrong, such as `shipped 48, received 47`.',
        },
      }),
    },
  }),
}
