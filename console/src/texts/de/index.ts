import type { Texts } from '../index.ts'
import { calendar } from './calendar.ts'
import { call } from './call.ts'
import { contract } from './contract.ts'
import { document } from './document.ts'
import { domains } from './domains.ts'
import { explorer } from './explorer.ts'
import { figures } from './figures.ts'
import { lineage } from './lineage.ts'
import { names } from './names.ts'
import { quality } from './quality.ts'
import { record } from './record.ts'
import { search } from './search.ts'
import { settings } from './settings.ts'
import { shell } from './shell.ts'
import { signIn } from './sign-in.ts'
import { sources } from './sources.ts'
import { states } from './states.ts'
import { today } from './today.ts'

export const german: Texts = {
  calendar,
  call,
  contract,
  document,
  domains,
  explorer,
  figures,
  lineage,
  names,
  quality,
  record,
  search,
  settings,
  shell,
  signIn,
  sources,
  states,
  today,
}
