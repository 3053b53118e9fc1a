/** Colours that sources send in units of work, and the faults of the bad ones. */
import { putItem } from '../../test/support/queue.ts'

/** The field that the reason of a refusal names, by what is wrong with a colour. */
export const faultFields = {
  format: '/status',
  length: '/name',
  code: '/hexCode',
  unique: '/code',
  // The engine refuses it, as no rule of the contract does.
  engine: '',
} as const
export type Fault = keyof typeof faultFields
export const faults = Object.keys(faultFields) as readonly Fault[]

/** The code of a stored colour of each brand. */
export const takenCode = 'TAKEN'
/** The name that the engine refuses. */
export const refusedName = 'POISON'

export interface Colour {
  /** Its key in the source. */
  readonly no: string
  readonly code: string
  readonly name: string
  readonly hex: string
  readonly status: string
  readonly fault: Fault | null
}

/** What is sent in one piece. Each colour of a file or a table is stored if it has no fault. */
export interface SentUnit {
  readonly name: string
  readonly colours: readonly Colour[]
  readonly fault: Fault | null
}

const names = ["Crème d'été", '深蓝', 'Grün "hell"', 'Écru', 'Şile bezi', 'navy']

const colourOf = (source: string, number: number, fault: Fault | null): Colour => {
  const no = `${source}-${number}`
  const name = `${names[number % names.length]} ${no}`
  const good = { no, code: no, name, hex: '#1A2B3C', status: 'active', fault }
  const wrong: Readonly<Record<Fault, Partial<Colour>>> = {
    format: { status: '' },
    length: { name: name.padEnd(1_200, 'x') },
    code: { hex: 'dark blue' },
    unique: { code: takenCode },
    engine: { name: refusedName },
  }
  return { ...good, ...(fault && wrong[fault]) }
}

/** Colours of a unit. */
export const coloursEach = 3

/** The nth unit of a source, with a fault or none in the second of its colours. */
export const unitOf = (source: string, n: number, fault: Fault | null): SentUnit => ({
  name: `${source}-${n}`,
  colours: Array.from({ length: coloursEach }, (_, index) =>
    colourOf(source, n * coloursEach + index, index === 1 ? fault : null),
  ),
  fault,
})

/** The unit as somebody corrects it who has read the reasons. */
export const corrected = (unit: SentUnit): SentUnit => ({
  ...unit,
  colours: unit.colours.map(({ no }) => {
    const at = no.lastIndexOf('-')
    return colourOf(no.slice(0, at), Number(no.slice(at + 1)), null)
  }),
  fault: null,
})

/** Every second unit has a fault, each kind in turn. */
export const faultAt = (n: number): Fault | null =>
  n % 2 === 0 ? null : (faults[((n - 1) / 2) % faults.length] ?? null)

const at = '2026-11-01T08:00:00.000Z'

/** The record of a colour, as a sender makes it. */
export const itemOf = ({ no, code, name, hex, status }: Colour) => {
  const [source = 0, number = 0] = no.replace(/^\D/, '').split('-').map(Number)
  const id = [source, number].map((each, index) => each.toString(16).padStart(index ? 12 : 3, '0'))
  return putItem('colors', {
    ...{ id: `00000000-0000-4000-8${id.join('-')}`, code, name, hexCode: hex },
    ...{ standardSystem: null, standardReference: null, family: null },
    ...(status !== '' && { status }),
    ...{ createdAt: at, updatedAt: at },
  })
}
