import type { OperatorBackup, OperatorStorage } from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { Command } from '../../sources/command.tsx'
import { durationText } from '../../sources/duration.ts'
import { adminTexts } from '../../texts/admin.ts'
import { bytesText } from '../bytes.ts'
import { Moment } from '../moment.tsx'
import { Facts, Section } from '../section.tsx'
import { type Column, Table } from '../table.tsx'

/** The space that the databases and their write-ahead logs take, and the last backup. */
export const Storage = ({ storage }: { storage: OperatorStorage }) => {
  const words = adminTexts().storage
  const { bytes, walBytes, freeBytes, oldestSnapshotSeconds, files, tables, lastBackup } = storage
  return (
    <>
      <Section title={words.storage}>
        <Facts
          facts={[
            [words.size, bytesText(bytes)],
            [words.wal, walBytes === null ? words.walUnknown : bytesText(walBytes)],
            [words.free, freeBytes === null ? words.unknown : bytesText(freeBytes)],
            [
              words.oldestSnapshot,
              oldestSnapshotSeconds === null ? null : durationText(oldestSnapshotSeconds * 1_000),
            ],
          ]}
        />
        {files.length > 0 && (
          <Table
            label={words.storage}
            columns={fileColumns()}
            rows={files}
            rowKey={({ path }) => path}
          />
        )}
      </Section>
      {tables.length > 0 && (
        <Section title={words.largestTables}>
          <Table
            label={words.largestTables}
            columns={tableColumns()}
            rows={tables}
            rowKey={({ name }) => name}
          />
        </Section>
      )}
      <Section title={words.lastBackup}>
        <Backup backup={lastBackup} />
      </Section>
    </>
  )
}

const Backup = ({ backup }: { backup: OperatorBackup | null }) => {
  const words = adminTexts().storage
  if (!backup) return <Command sentence={words.noBackup} command={words.backupCommand} />
  const { at, target, bytes, verifiedAt } = backup
  return (
    <Facts
      facts={[
        [words.lastBackup, <Moment key="at" at={at} />],
        [words.target, target],
        [words.size, bytesText(bytes)],
        [
          words.verified,
          verifiedAt ? <Moment key="verified" at={verifiedAt} /> : words.notVerified,
        ],
      ]}
    />
  )
}

type File = OperatorStorage['files'][number]
type DatabaseTable = OperatorStorage['tables'][number]

const fileColumns = (): readonly Column<File>[] => {
  const words = adminTexts().storage
  const names: { readonly [name: string]: string } = words.files
  return [
    {
      key: 'file',
      title: words.file,
      cell: ({ name, path }) => (
        <>
          <span className="admin-name">{names[name] ?? name}</span>
          <code className="admin-note">{path}</code>
        </>
      ),
    },
    { key: 'size', title: words.size, isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
    { key: 'wal', title: words.wal, isNumber: true, cell: ({ walBytes }) => bytesText(walBytes) },
  ]
}

const tableColumns = (): readonly Column<DatabaseTable>[] => {
  const words = adminTexts().storage
  return [
    { key: 'table', title: words.table, cell: ({ name }) => <code>{name}</code> },
    {
      key: 'size',
      title: words.aboutSize,
      isNumber: true,
      cell: ({ aboutBytes }) => bytesText(aboutBytes),
    },
    {
      key: 'rows',
      title: words.aboutRows,
      isNumber: true,
      cell: ({ aboutRows }) => countText(aboutRows),
    },
  ]
}
