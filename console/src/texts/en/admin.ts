import { audit } from './admin-audit.ts'
import { brands } from './admin-brands.ts'
import { checks } from './admin-checks.ts'
import { feed } from './admin-feed.ts'
import { first } from './admin-first.ts'
import { imports } from './admin-imports.ts'
import { intake } from './admin-intake.ts'
import { keys } from './admin-keys.ts'
import { quarantine } from './admin-quarantine.ts'
import { shell } from './admin-shell.ts'
import { storage } from './admin-storage.ts'
import { tables } from './admin-tables.ts'
import { upload } from './admin-upload.ts'
import { usage } from './admin-usage.ts'
import { views } from './admin-views.ts'

export const adminEnglish = {
  audit,
  brands,
  checks,
  feed,
  first,
  imports,
  intake,
  keys,
  quarantine,
  shell,
  storage,
  tables,
  upload,
  usage,
  views,
}
