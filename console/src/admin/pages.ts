import type { OperatorSession } from '../../../src/contract/index.ts'
import { type LazyPage, lazyPage } from '../lazy-page.tsx'
import { adminTexts } from '../texts/admin.ts'

export const sections = ['access', 'records', 'installation'] as const

/** A page of the operator, with its place in the navigation. */
export interface AdminPage {
  /** The first path is that of the navigation. */
  readonly paths: readonly [string, ...string[]]
  /** Null for a page that the navigation does not have. */
  readonly section: (typeof sections)[number] | null
  readonly title: () => string
  readonly Page: LazyPage<object>
}

/** The pages in the order of the navigation. The server sends the page at these paths. */
export const pages: readonly AdminPage[] = [
  {
    paths: ['/brands'],
    section: 'access',
    title: () => adminTexts().brands.title,
    Page: lazyPage(async () => (await import('./brands/brands-page.tsx')).BrandsPage),
  },
  {
    paths: ['/keys'],
    section: 'access',
    title: () => adminTexts().keys.title,
    Page: lazyPage(async () => (await import('./keys/keys-page.tsx')).KeysPage),
  },
  {
    paths: ['/views'],
    section: 'access',
    title: () => adminTexts().views.title,
    Page: lazyPage(async () => (await import('./views/views-page.tsx')).ViewsPage),
  },
  {
    paths: ['/import'],
    section: 'records',
    title: () => adminTexts().upload.title,
    Page: lazyPage(async () => (await import('./first/import-page.tsx')).ImportFilePage),
  },
  {
    paths: ['/first'],
    section: null,
    title: () => adminTexts().first.title,
    Page: lazyPage(async () => (await import('./first/first-page.tsx')).FirstPage),
  },
  {
    paths: ['/intake'],
    section: 'records',
    title: () => adminTexts().intake.title,
    Page: lazyPage(async () => (await import('./intake/intake-page.tsx')).IntakePage),
  },
  {
    paths: ['/intake/:id'],
    section: null,
    title: () => adminTexts().intake.unit,
    Page: lazyPage(async () => (await import('./intake/unit-page.tsx')).UnitPage),
  },
  {
    paths: ['/quarantine'],
    section: 'records',
    title: () => adminTexts().quarantine.title,
    Page: lazyPage(async () => (await import('./rows/rows-page.tsx')).RowsPage),
  },
  {
    paths: ['/imports'],
    section: 'records',
    title: () => adminTexts().imports.title,
    Page: lazyPage(async () => (await import('./imports/imports-page.tsx')).ImportsPage),
  },
  {
    paths: ['/imports/:id'],
    section: null,
    title: () => adminTexts().intake.unit,
    Page: lazyPage(async () => (await import('./imports/import-page.tsx')).ImportPage),
  },
  {
    paths: ['/checks'],
    section: 'records',
    title: () => adminTexts().checks.title,
    Page: lazyPage(async () => (await import('./checks/checks-page.tsx')).ChecksPage),
  },
  {
    paths: ['/feed'],
    section: 'installation',
    title: () => adminTexts().feed.title,
    Page: lazyPage(async () => (await import('./feed/feed-page.tsx')).FeedPage),
  },
  {
    paths: ['/storage'],
    section: 'installation',
    title: () => adminTexts().storage.title,
    Page: lazyPage(async () => (await import('./status/status-page.tsx')).StatusPage),
  },
  {
    paths: ['/usage'],
    section: 'installation',
    title: () => adminTexts().usage.title,
    Page: lazyPage(async () => (await import('./usage/usage-page.tsx')).UsagePage),
  },
  {
    paths: ['/audit'],
    section: 'installation',
    title: () => adminTexts().audit.title,
    Page: lazyPage(async () => (await import('./audit/audit-page.tsx')).AuditPage),
  },
]

/** The page that an operator sees first. */
export const startPath = ({ isEmpty }: OperatorSession): string => (isEmpty ? '/first' : '/brands')
