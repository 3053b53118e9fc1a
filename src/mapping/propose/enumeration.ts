import { foldText } from '#contract'
import { isBoolean } from './column-fit.ts'
import type { Certainty } from './proposal.ts'
import type { Column } from './table-model.ts'
import { quoted } from './yaml-text.ts'

export interface Meanings {
  /** The texts and their meanings; null if the texts are the values themselves. */
  readonly values: readonly (readonly [text: string, value: string])[] | null
  readonly certainty: Certainty
  readonly reason: string
}

/** What the texts of a column mean among the values of a field. */
export const meaningsOf = (allowed: readonly string[], column: Column): Meanings | null => {
  const texts = [...column.texts.keys()]
  if (texts.length === 0 || texts.length > textsMax) return null
  const flag = flagMeanings(allowed, column)
  if (flag) return flag
  const nameOf = (text: string) => foldText(text).replace(/[\s_-]+/g, '_')
  if (texts.every((text) => allowed.includes(nameOf(text)))) {
    const reason = `${column.filled} of ${column.filled} are known values`
    if (texts.every((text) => allowed.includes(text)))
      return { values: null, certainty: 'certain', reason }
    return { values: texts.map((text) => [text, nameOf(text)]), certainty: 'certain', reason }
  }
  const plain = texts.map((text) => [text, plainMeaning(allowed, nameOf(text))] as const)
  if (plain.every((each): each is readonly [string, string] => each[1] !== null))
    return { values: plain, certainty: 'likely', reason: 'as the words say' }
  const [first = ''] = allowed
  const guesses = plain.map(([text, value]): readonly [string, string] => {
    const letters = nameOf(text)
    const similar = allowed.find((each) => letters.length > 0 && each.startsWith(letters))
    return [text, value ?? similar ?? first]
  })
  return {
    values: guesses,
    certainty: 'open',
    reason: `say what each means: ${allowed.join(', ')}`,
  }
}

/** A column with more texts is not an enumeration. */
const textsMax = 20

export const valuesText = (values: readonly (readonly [string, string])[]): string =>
  `{ ${values.map(([text, value]) => `${quoted(text)}: ${value}`).join(', ')} }`

const plainMeaning = (allowed: readonly string[], text: string): string | null => {
  if (allowed.includes(text)) return text
  const meanings = allowed.filter((each) => synonyms[each]?.split(' ').includes(text))
  return meanings.length === 1 ? (meanings[0] ?? null) : null
}

/** Words of other systems, in English and German, for values that mean the same. */
const synonyms: { readonly [value: string]: string } = {
  draft: 'entwurf new neu quotation',
  in_production: 'processing in_progress in_arbeit',
  planned: 'geplant angekundigt announced scheduled',
  arrived: 'angekommen eingetroffen',
  void: 'storniert annulliert cancelled canceled',
  sent: 'gesendet versendet issued ordered bestellt submitted',
  confirmed: 'bestatigt acknowledged',
  partially_shipped: 'teilgeliefert teillieferung partially_delivered',
  shipped: 'versandt dispatched',
  received: 'erhalten eingegangen geliefert delivered wareneingang',
  closed: 'geschlossen erledigt completed complete abgeschlossen done finished',
  cancelled: 'canceled cancel storniert annulliert void voided',
  active: 'aktiv enabled live',
  inactive: 'inaktiv disabled deactivated',
  approved: 'genehmigt freigegeben released active aktiv posted validated',
  discontinued: 'ausgelaufen auslauf eingestellt obsolete inactive inaktiv retired',
  blocked: 'gesperrt locked',
  on_hold: 'hold gesperrt blocked',
  paid: 'bezahlt',
  partially_paid: 'teilbezahlt teilzahlung partial',
  completed: 'complete closed done abgeschlossen erledigt gebucht posted received',
  in_progress: 'started in_bearbeitung processing',
  expected: 'erwartet planned pending draft entwurf',
  in_transit: 'unterwegs transit',
  ocean: 'sea see seefracht vessel',
  air: 'luft luftfracht flight',
  road: 'truck lkw strasse ground',
  rail: 'bahn train',
  courier: 'parcel paket express kurier',
  warehouse: 'lager dc distribution_center',
  store: 'shop filiale',
  factory: 'fabrik werk plant',
  office: 'buro headquarters',
}

const isFlag = (column: Column): boolean =>
  isBoolean(column) ||
  (column.texts.size <= 2 &&
    [...column.texts.keys()].every((each) => /^(0|1|y|n|t|f|yes|no|j|ja|nein|x)$/i.test(each)))

/** A flag named after a value: discontinued, active. */
export const flagMeanings = (
  allowed: readonly string[],
  column: Column,
): (Meanings & { readonly isPositive: boolean }) | null => {
  if (!isFlag(column)) return null
  const name = foldText(column.name)
  const is = (value: string) =>
    new RegExp(value.replace('_', '.?')).test(name) ||
    (synonyms[value] ?? '').split(' ').some((each) => each.length > 3 && name.includes(each))
  const isNegative = /inactive|inaktiv|disabled|obsolete|archived|retired|stillgelegt/.test(name)
  const off = allowed.find((each) => negative.includes(each) && is(each))
  const on = allowed.find((each) => positive.includes(each))
  const out = off ?? negative.find((each) => allowed.includes(each))
  const isOn = !isNegative && !off && /active|aktiv|enabled/.test(name)
  if (!on || !out || (!off && !isOn && !isNegative)) return null
  const isTrue = (text: string) => /^(true|t|1|y|yes|j|ja|x)$/i.test(text)
  // The other value may not have been read.
  const [sample = ''] = column.texts.keys()
  const texts = flagPairs.find((pair) => pair.includes(sample.toLowerCase())) ?? [sample]
  const values = texts.map((text) => [text, isTrue(text) === isOn ? on : out] as const)
  return { values, certainty: 'likely', reason: 'a flag, as its name says', isPositive: isOn }
}

const flagPairs = [
  ['true', 'false'],
  ['1', '0'],
  ['y', 'n'],
  ['t', 'f'],
  ['yes', 'no'],
  ['j', 'n'],
  ['ja', 'nein'],
]

const positive = ['active', 'approved', 'confirmed', 'sent']
const negative = [
  ...['discontinued', 'inactive', 'archived', 'blocked', 'on_hold', 'closed', 'cancelled', 'ended'],
]
