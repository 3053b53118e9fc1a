import type { MouseEvent } from 'react'
import { Link } from 'wouter'
import { type LineageRelation, relationName, stageIndexOf } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { labelOf } from '../contract.ts'
import { lineageLink } from '../links.ts'
import { Dialog } from '../shell/dialog.tsx'
import { fieldLabel, groupSingular } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { type Lineage, type LineageNode, nameOf, openRelations, titleOfTarget } from './lineage.ts'

type ExpandProps = {
  api: Api
  lineage: Lineage
  node: LineageNode
  onFollow: (relation: LineageRelation) => void
  onClose: () => void
}

/** The relations of a record that the page does not show yet. */
export const Expand = ({ api, lineage, node, onFollow, onClose }: ExpandProps) => {
  const name = nameOf(lineage, node)
  const open = openRelations(lineage, node)
  const words = texts().lineage
  const label = words.expand(groupSingular(node.group), name)
  return (
    <Dialog label={label} className="expand" onClose={onClose}>
      <h2>
        <span>{groupSingular(node.group)}</span> {name}
      </h2>
      <Relations
        title={words.refersTo}
        relations={open.filter(({ kind }) => kind === 'get')}
        onFollow={onFollow}
      />
      <Relations
        title={words.referencedBy}
        relations={inChainFirst(open.filter(({ kind }) => kind === 'list'))}
        onFollow={onFollow}
      />
      <p className="expand-foot">
        {node.group.hasRecord && node.key !== lineage.start && (
          <Link href={lineageLink(api.brand, node.group.path, node.id)} onClick={onClose}>
            {words.lineageOfThis}
          </Link>
        )}
        <button type="button" onClick={closeAround}>
          {texts().states.close}
        </button>
      </p>
    </Dialog>
  )
}

/** Closing a native dialog restores the focus; removing the element does not. */
const closeAround = ({ currentTarget }: MouseEvent<HTMLElement>): void =>
  currentTarget.closest('dialog')?.close()

type RelationsProps = {
  title: string
  relations: readonly LineageRelation[]
  onFollow: (relation: LineageRelation) => void
}

const Relations = ({ title, relations, onFollow }: RelationsProps) =>
  relations.length === 0 ? null : (
    <section>
      <h3>{title}</h3>
      <ul>
        {relations.map((relation) => (
          <li key={relationName(relation)}>
            <button
              type="button"
              onClick={(event) => {
                closeAround(event)
                onFollow(relation)
              }}
            >
              {relation.kind === 'get' ? nameOfField(relation.field) : titleOfTarget(relation)}
              <code>{relation.kind === 'get' ? relation.field : relationName(relation)}</code>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )

const nameOfField = (field: string): string =>
  fieldLabel({ label: labelOf(field.replace(/(?<=.)Id$/, '')) })

const inChainFirst = (relations: readonly LineageRelation[]): readonly LineageRelation[] =>
  relations.toSorted((a, b) => placeOf(a) - placeOf(b))

const placeOf = ({ to }: LineageRelation): number =>
  stageIndexOf(to.path) ?? Number.POSITIVE_INFINITY
