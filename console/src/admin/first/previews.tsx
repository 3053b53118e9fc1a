import { useId } from 'react'
import type { FilePreview, UploadedFile } from '../../../../src/contract/index.ts'
import { groupAt, groups } from '../../contract.ts'
import { countText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'
import { groupTitle } from '../../texts/contract.ts'
import { Problems } from './problems.tsx'

/** The title of a collection, as the console calls it. */
export const collectionTitle = (path: string): string => {
  const group = groupAt(path)
  return group ? groupTitle(group) : path
}

interface PreviewProps {
  readonly file: UploadedFile
  readonly preview: FilePreview
  /** Whether a mapping says the collection. */
  readonly isMapped: boolean
  readonly isDisabled: boolean
  readonly onCollection: (collection: string) => void
}

/** The first rows of a file: which columns are recognised, and what is wrong. */
export const Preview = (props: PreviewProps) => {
  const { file, preview, isMapped, isDisabled, onCollection } = props
  const words = adminTexts().upload
  const { collection, columns, missing, rows, checkedRows, isWhole, problems, error } = preview
  const unknown = columns.filter(({ isUsed }) => !isUsed)
  return (
    <section className="upload-preview" aria-label={file.name}>
      <header>
        <h3>{file.name}</h3>
        {isMapped ? (
          collection !== null && <span className="chip">{collectionTitle(collection)}</span>
        ) : (
          <CollectionChoice value={collection} isDisabled={isDisabled} onChange={onCollection} />
        )}
      </header>
      {collection === null && <p className="admin-warning">{words.chooseCollection}</p>}
      {error !== null && (
        <p className="upload-error" role="alert">
          {error}
        </p>
      )}
      {collection !== null && columns.length > 0 && (
        <p>
          {words.recognised(columns.length - unknown.length, columns.length)}
          {unknown.length > 0 && (
            <>
              {' '}
              {isMapped ? words.unusedColumns : words.unknownColumns}{' '}
              <Names names={unknown.map(({ name }) => name)} />
            </>
          )}
          {missing.length > 0 && (
            <>
              {' '}
              {words.missing} <Names names={missing} />
            </>
          )}
        </p>
      )}
      {rows.length > 0 && <Rows file={file} preview={preview} />}
      {collection !== null && error === null && (
        <p className="quiet">
          {problems.length === 0 && words.noProblems}{' '}
          {isWhole ? words.allChecked(checkedRows) : words.firstChecked(checkedRows)}
        </p>
      )}
      <Problems problems={problems} />
    </section>
  )
}

const namesMax = 12

const Names = ({ names }: { names: readonly string[] }) => (
  <span className="upload-names">
    {names.slice(0, namesMax).map((name) => (
      <code key={name}>{name}</code>
    ))}
    {names.length > namesMax && <span>+{countText(names.length - namesMax)}</span>}
  </span>
)

const Rows = ({ file, preview }: Pick<PreviewProps, 'file' | 'preview'>) => {
  const words = adminTexts().upload
  const { columns, rows } = preview
  return (
    <section className="admin-table-scroll" aria-label={words.firstRows(file.name)} tabIndex={0}>
      <table className="admin-table upload-rows">
        <thead>
          <tr>
            <th scope="col" className="number">
              {words.lineTitle}
            </th>
            {columns.map(({ name, isUsed }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns may have the same name
              <th key={at} scope="col" data-used={isUsed}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, cells }) => (
            <tr key={line}>
              <td className="number quiet">{line}</td>
              {columns.map(({ isUsed }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns may have the same name
                <td key={at} data-used={isUsed}>
                  {cells[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface CollectionChoiceProps {
  readonly value: string | null
  readonly isDisabled: boolean
  readonly onChange: (collection: string) => void
}

const CollectionChoice = ({ value, isDisabled, onChange }: CollectionChoiceProps) => {
  const words = adminTexts().upload
  const id = useId()
  const titled = groups
    .map(({ path }) => [path, collectionTitle(path)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other))
  return (
    <span className="upload-collection">
      <label htmlFor={id}>{words.collection}</label>
      <select
        id={id}
        value={value ?? ''}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value)}
      >
        {value === null && <option value="">{words.choose}</option>}
        {titled.map(([path, title]) => (
          <option key={path} value={path}>
            {title} ({path})
          </option>
        ))}
      </select>
    </span>
  )
}
