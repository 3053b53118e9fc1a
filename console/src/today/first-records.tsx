import { Link } from 'wouter'
import type { Figure } from '../../../client/src/index.ts'
import { countText, moneyText } from '../figures.ts'
import { linkOfQuery, recordLink } from '../links.ts'
import { texts } from '../texts/index.ts'

interface FirstRecordsProps {
  readonly brand: string
  readonly group: string
  readonly figure: Figure
  readonly title: string
  /** The message if there are no records. */
  readonly none: string
  readonly all: string
}

/** The records with the longest delay, with a link to all late ones. */
export const FirstRecords = ({ brand, group, figure, title, none, all }: FirstRecordsProps) => {
  const words = texts().today
  const { first = [], items } = figure
  if (items === null) return null
  if (first.length === 0) return <p className="part-empty">{none}</p>
  const hasAmount = first.some(({ amount }) => amount)
  const hasQuantity = first.some(({ quantity }) => quantity !== null)
  return (
    <div className="today-first">
      <table aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">{words.days}</th>
            {hasQuantity && <th scope="col">{words.quantity}</th>}
            {hasAmount && <th scope="col">{words.amount}</th>}
          </tr>
        </thead>
        <tbody>
          {first.map(({ id, title: name, days, amount, quantity }) => (
            <tr key={id}>
              <td>
                <Link href={recordLink(brand, group, id)}>{name ?? id}</Link>
              </td>
              <td className="lead-bad">{countText(days)}</td>
              {hasQuantity && <td>{quantity === null ? '–' : countText(quantity)}</td>}
              {hasAmount && <td>{amount ? moneyText(amount.amount, amount.currency) : '–'}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {figure.url !== undefined && (
        <Link className="today-all" href={linkOfQuery(figure.url)}>
          {all} ({countText(items)})
        </Link>
      )}
    </div>
  )
}
