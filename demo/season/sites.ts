import { moment, today } from './calendar.ts'
import { gln, pad } from './codes.ts'
import type { PartnerSource } from './partners.ts'
import { at } from './random.ts'
import { slugOf } from './slugs.ts'
import type { Trade } from './trades.ts'

const createdAt = '2025-01-13T10:00:00.000Z'

/** The location of a company. */
export interface Site {
  readonly partnerId: string
  readonly name: string
  readonly role: 'factory' | 'mill' | 'office'
  readonly trade: Trade
  /** The index of the city in its trade. */
  readonly city: number
  readonly serial: number
}

/** Writes the location of a company, with its address. */
export const putSite = ({ put, random }: PartnerSource, site: Site): string => {
  const { partnerId, name, role, trade, city, serial } = site
  const id = random.id()
  put('locations', {
    id,
    name: `${name}, ${role}`,
    code: `${trade.countryCode}${pad(serial, 4)}`,
    kind: role,
    addressLine1: at(trade.streets, serial).replace('#', String(1 + ((serial * 37) % 190))),
    addressLine2: serial % 4 === 1 ? name : null,
    city: at(trade.cities, city),
    region: at(trade.regions, city),
    postalCode: at(trade.postalCodes, city),
    countryCode: trade.countryCode,
    gln: gln(10_000 + serial),
    timezone: trade.timezone,
    createdAt,
  })
  put('partner-locations', {
    id: random.id(),
    partnerId,
    locationId: id,
    role,
    isPrimary: true,
    createdAt,
  })
  return id
}

/** An employee of a company. */
export interface Contact {
  readonly partnerId: string
  readonly locationId: string
  readonly slug: string
  readonly trade: Trade
  readonly role: 'merchandising' | 'logistics' | 'sales'
  readonly left: boolean
}

export const putContact = ({ put, random, wording }: PartnerSource, contact: Contact): string => {
  const { trade, role, left } = contact
  const id = random.id()
  const givenAt = random.below(trade.givenNames.length)
  const familyAt = random.below(trade.familyNames.length)
  const firstName = at(trade.givenNames, givenAt)
  const lastName = at(trade.familyNames, familyAt)
  const { native } = trade
  const nativeName = native?.fullName(
    at(native.givenNames, givenAt),
    at(native.familyNames, familyAt),
  )
  const leftAt = moment(today - 200)
  put('contacts', {
    id,
    partnerId: contact.partnerId,
    locationId: contact.locationId,
    displayName: `${firstName} ${lastName}${nativeName === undefined ? '' : ` (${nativeName})`}`,
    firstName,
    lastName,
    role,
    email: `${slugOf(firstName)}.${slugOf(lastName)}@${contact.slug}.example`,
    phone: `${trade.dialingCode}${random.between(200_000_000, 999_999_999)}`,
    languageCode: trade.languageCode,
    timezone: trade.timezone,
    isPrimary: !left,
    status: left ? 'inactive' : 'active',
    notes: wording.remark(trade.languageCode),
    createdAt,
    updatedAt: left ? leftAt : createdAt,
    deletedAt: left ? leftAt : null,
  })
  return id
}
