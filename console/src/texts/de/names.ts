import type { Texts } from '../index.ts'

export const names: Texts['names'] = {
  revision: (subject, number) => `${subject} Rev. ${number}`,
  numbered: (subject, kind, number) => `${subject} ${kind} ${number}`,
  kindOf: (label) => label.replace(/[ns]?nummer$/, ''),
}
