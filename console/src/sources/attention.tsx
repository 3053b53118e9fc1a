import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Sources } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { sourcesLink } from '../links.ts'
import { texts } from '../texts/index.ts'
import { sourcesQuery } from './sources-data.ts'
import './attention.css'

/** A notice on Today if something keeps records from being stored; nothing otherwise. */
export const Attention = ({ api }: { api: Api }) => {
  const { data } = useQuery(sourcesQuery(api))
  if (!data?.needsAttention) return null
  const words = texts().sources
  return (
    <Link className="attention" href={sourcesLink(api.brand)}>
      <span className="attention-title">{words.needsAttention}</span>{' '}
      <span>{attentionNotes(data).join(' · ')}</span>
    </Link>
  )
}

/** What needs attention, and how much of it. */
export const attentionNotes = ({ sources, quarantine }: Sources): readonly string[] => {
  const words = texts().sources
  const failing = sources.filter(({ state }) => state === 'failing').length
  const units = sources.reduce((sum, { quarantinedUnits }) => sum + (quarantinedUnits ?? 0), 0)
  return [
    ...(failing > 0 ? [words.failingSources(failing)] : []),
    ...(units > 0 ? [words.unitsSetAside(units)] : []),
    ...(quarantine.rows > 0 ? [words.rowsWaiting(quarantine.rows)] : []),
  ]
}
