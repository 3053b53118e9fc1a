import type { OperatorHealth } from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { durationText } from '../../sources/duration.ts'
import { adminTexts } from '../../texts/admin.ts'
import type { Tone } from '../../values.ts'
import { Section } from '../section.tsx'
import { type Column, Table } from '../table.tsx'

/** The parts that the installation needs, and its database servers. Messages are in English. */
export const Health = ({ health: { parts, hosts } }: { health: OperatorHealth }) => {
  const words = adminTexts().storage
  return (
    <>
      <Section title={words.health}>
        <Table
          label={words.health}
          columns={partColumns()}
          rows={parts}
          rowKey={({ part }) => part}
        />
      </Section>
      {hosts.length > 0 && (
        <Section title={words.hosts}>
          <Table
            label={words.hosts}
            columns={hostColumns()}
            rows={hosts}
            rowKey={({ name }) => name}
          />
        </Section>
      )}
    </>
  )
}

type Part = OperatorHealth['parts'][number]
type Host = OperatorHealth['hosts'][number]

const stateTones: Record<Part['state'], Tone> = {
  ok: 'good',
  warning: 'warn',
  error: 'bad',
  off: 'quiet',
}

const partColumns = (): readonly Column<Part>[] => {
  const words = adminTexts().storage
  return [
    {
      key: 'part',
      title: words.part,
      cell: ({ part }) => <span className="admin-name">{words.parts[part]}</span>,
    },
    {
      key: 'state',
      title: words.state,
      cell: ({ state }) => (
        <span className={`chip chip-${stateTones[state]}`}>{words.states[state]}</span>
      ),
    },
    { key: 'note', title: words.note, cell: ({ message }) => <span lang="en">{message}</span> },
  ]
}

const roleTones: Record<Host['role'], Tone> = {
  primary: 'good',
  replica: 'good',
  unknown: 'warn',
  away: 'bad',
}

const hostColumns = (): readonly Column<Host>[] => {
  const words = adminTexts().storage
  return [
    {
      key: 'host',
      title: words.host,
      cell: ({ name }) => <span className="admin-name">{name}</span>,
    },
    {
      key: 'role',
      title: words.role,
      cell: ({ role, leftOut }) => (
        <>
          <span className={`chip chip-${leftOut ? 'warn' : roleTones[role]}`}>
            {words.roles[role]}
          </span>{' '}
          {leftOut && words.leftOut}
        </>
      ),
    },
    {
      key: 'lag',
      title: words.lag,
      isNumber: true,
      cell: ({ role, lagSeconds }) => (role === 'replica' ? durationText(lagSeconds * 1_000) : '–'),
    },
    {
      key: 'timeline',
      title: words.timeline,
      isNumber: true,
      cell: ({ timeline }) => (timeline === null ? '–' : countText(timeline)),
    },
    {
      key: 'note',
      title: words.note,
      cell: ({ reason }) => (reason === null ? '–' : <span lang="en">{reason}</span>),
    },
  ]
}
