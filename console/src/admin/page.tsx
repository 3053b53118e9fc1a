import type { ReactNode } from 'react'
import { adminTexts } from '../texts/admin.ts'
import { useTitle } from '../title.ts'

interface PageProps {
  readonly title: string
  /** What the page is for, in one or two sentences. */
  readonly about: ReactNode
  /** The buttons of the page. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page of the operator: its title, what it is for, and its actions. */
export const Page = ({ title, about, actions, children }: PageProps) => {
  useTitle(title, adminTexts().shell.title)
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div>
          <h1>{title}</h1>
          <p className="quiet page-about">{about}</p>
        </div>
        {actions && <div className="admin-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
