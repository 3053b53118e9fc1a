import { type ReactNode, useId } from 'react'
import './section.css'

interface SectionProps {
  readonly title: string
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page with its heading. */
export const Section = ({ title, about, actions, children }: SectionProps) => {
  const id = useId()
  return (
    <section className="admin-section" aria-labelledby={id}>
      <div className="admin-section-head">
        <h2 id={id}>{title}</h2>
        {about && <p className="quiet">{about}</p>}
        {actions && <div className="admin-actions">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

interface FactsProps {
  /** A value that is null is left out. */
  readonly facts: readonly (readonly [label: string, value: ReactNode])[]
}

/** Labels with their values. */
export const Facts = ({ facts }: FactsProps) => (
  <dl className="admin-facts">
    {facts
      .filter(([, value]) => value !== null)
      .map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
