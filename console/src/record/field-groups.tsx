import { useId } from 'react'
import type { Row } from '../api.ts'
import type { Field, Group } from '../contract.ts'
import { fieldLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { Value } from '../value.tsx'

interface FieldGroupsProps {
  readonly brand: string
  readonly group: Group
  readonly row: Row
  readonly baseCurrency: string | null
}

/** Fields that the system sets, not users. */
const technical = new Set(['id', 'createdAt', 'updatedAt', 'deletedAt', 'customFields'])

type Topic = 'general' | 'references' | 'figures' | 'dates' | 'technical'

const topics: readonly Topic[] = ['general', 'figures', 'dates', 'references', 'technical']

const topicOf = ({ name, kind }: Field): Topic => {
  if (technical.has(name) || kind === 'person' || kind === 'id') return 'technical'
  if (kind === 'ref') return 'references'
  if (kind === 'date' || kind === 'timestamp') return 'dates'
  return kind === 'amount' || kind === 'integer' ? 'figures' : 'general'
}

/** All fields of a record by topic, technical ones last. Fields without a value are folded. */
export const FieldGroups = ({ group, row, ...props }: FieldGroupsProps) => {
  const hasValue = ({ name }: Field) => (row[name] ?? null) !== null
  const filled = group.fields.filter(hasValue)
  const empty = group.fields.filter((field) => !hasValue(field))
  return (
    <div className="field-groups">
      {topics.map((topic) => {
        const fields = filled.filter((field) => topicOf(field) === topic)
        return fields.length === 0 ? null : (
          <section key={topic} aria-labelledby={`topic-${topic}`}>
            <h2 id={`topic-${topic}`}>{texts().record.topics[topic]}</h2>
            <FieldList {...props} {...{ fields, row }} />
          </section>
        )
      })}
      {empty.length > 0 && (
        <details className="empty-fields">
          <summary>{texts().record.emptyFields(empty.length)}</summary>
          <FieldList {...props} fields={empty} row={row} />
        </details>
      )}
    </div>
  )
}

interface FieldListProps extends Omit<FieldGroupsProps, 'group'> {
  readonly fields: readonly Field[]
}

const FieldList = ({ fields, row, ...props }: FieldListProps) => (
  <dl className="fields">
    {fields.map((field) => {
      const value = row[field.name] ?? null
      return (
        <div key={field.name}>
          <dt>
            {fieldLabel(field)} <Meaning field={field} />
          </dt>
          <dd>
            {value === null ? (
              <span className="quiet">–</span>
            ) : field.kind === 'object' ? (
              <FieldList {...props} fields={field.fields} row={value as Row} />
            ) : (
              <Value {...props} {...{ row, field }} />
            )}
          </dd>
        </div>
      )
    })}
  </dl>
)

/** The description of a field, in a popover beside its label. */
const Meaning = ({ field }: { field: Field }) => {
  const id = useId()
  return (
    <>
      <button
        type="button"
        className="meaning-button"
        popoverTarget={id}
        title={field.meaning}
        aria-label={texts().record.meaningOf(fieldLabel(field))}
      >
        i
      </button>
      <span id={id} popover="auto" className="meaning" lang="en">
        <code>{field.name}</code> {field.meaning}
      </span>
    </>
  )
}
