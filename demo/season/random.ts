/**
 * Pseudo-random numbers and identities from a seed: sfc32 (PractRand). Its 128 bits of state make
 * duplicate identities in a season practically impossible.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    this.#a = hash(seed, 0x811c9dc5)
    this.#b = hash(seed, 0x01000193)
    this.#c = hash(seed, 0x9e3779b9)
    for (let turn = 0; turn < 16; turn += 1) this.next()
  }

  /** An integer from 0 to 2^32 - 1. */
  next(): number {
    const result = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + result
    this.#c |= 0
    return result >>> 0
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor((this.next() / 0x1_0000_0000) * end)
  }

  /** An integer from `first` to `last`, inclusive. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1)
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0
  }

  pick<T>(list: readonly T[]): T {
    return at(list, this.below(list.length))
  }

  /** An identity in the form of a version 4 UUID, derived from the seed. */
  id(): string {
    let place = 0
    for (let word = 0; word < 4; word += 1) {
      let bits = this.next()
      for (let digit = 0; digit < 8; digit += 1) {
        characters[digitPlaces[place] as number] = hexadecimal[bits & 15] as number
        bits >>>= 4
        place += 1
      }
    }
    characters[14] = versionFour
    characters[19] = hexadecimal[8 + (this.next() & 3)] as number
    return characters.toString('latin1')
  }
}

/** The entry of a list at an index that wraps around. */
export const at = <T>(list: readonly T[], index: number): T => {
  const entry = list[index % list.length]
  if (entry === undefined) throw new RangeError('The list is empty.')
  return entry
}

const characters = Buffer.from('00000000-0000-4000-8000-000000000000', 'latin1')
const hexadecimal = Buffer.from('0123456789abcdef', 'latin1')
const versionFour = hexadecimal[4] as number
const digitPlaces = [...characters.keys()].filter((place) => ![8, 13, 18, 23].includes(place))

/** FNV-1a over the code units, with a final mix. */
const hash = (text: string, start: number): number => {
  let value = start
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return (value ^ (value >>> 13)) | 0
}
