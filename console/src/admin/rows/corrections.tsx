import { useState } from 'react'
import type { OperatorCorrections } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { countText } from '../../figures.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { useRead } from '../reading.ts'
import { Section } from '../section.tsx'
import { type Column, Table } from '../table.tsx'
import type { Selection } from './rows-page.tsx'

/** The files that the rows of a selection are corrected in. Made on demand: all rows are read for them. */
export const Corrections = ({ selection }: { selection: Selection }) => {
  const words = adminTexts().quarantine
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={words.corrections} about={words.correctionsMeaning}>
      {isOpen ? (
        <Files selection={selection} />
      ) : (
        <button type="button" onClick={() => setOpen(true)}>
          {words.makeFiles}
        </button>
      )}
    </Section>
  )
}

const Files = ({ selection }: { selection: Selection }) => {
  const words = adminTexts().quarantine
  const { data, error, refetch } = useRead<OperatorCorrections>('/rows/corrections', selection)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={2} />
  return (
    <>
      {data.files.length > 0 && (
        <Table
          label={words.corrections}
          columns={fileColumns(selection)}
          rows={data.files}
          rowKey={({ name }) => name}
        />
      )}
      {data.unreadable > 0 && <p>{words.unreadableRows(data.unreadable)}</p>}
    </>
  )
}

type File = OperatorCorrections['files'][number]

const fileColumns = (selection: Selection): readonly Column<File>[] => {
  const words = adminTexts().quarantine
  return [
    {
      key: 'file',
      title: words.file,
      cell: ({ name }) => (
        <a className="admin-name" href={fileUrl(name, selection)} download={name}>
          {name}
        </a>
      ),
    },
    { key: 'rows', title: words.rows, isNumber: true, cell: ({ rows }) => countText(rows) },
    { key: 'remedy', title: words.correctIt, cell: ({ remedy }) => words.remedies[remedy] },
  ]
}

const fileUrl = (name: string, selection: Selection): string => {
  const query = new URLSearchParams(Object.entries(selection).filter(([, value]) => value !== ''))
  return `/api/rows/corrections/${encodeURIComponent(name)}?${query}`
}
