import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { texts } from './texts/index.ts'

interface DayChoiceProps {
  /** The day that dates are compared with now. */
  readonly day: string
  readonly today: string
  /** The address of the same page for today. */
  readonly todayLink: string
  readonly onDay: (day: string) => void
}

/** The day that is taken for today, and the way back to today from another one. */
export const DayChoice = ({ day, today, todayLink, onDay }: DayChoiceProps) => {
  const field = useRef<HTMLInputElement>(null)
  const words = texts().today
  // Not a controlled field: a day that is being typed is not complete, and must stay.
  useEffect(() => {
    if (field.current) field.current.value = day
  }, [day])
  return (
    <span className="as-of">
      <label title={words.asOfMeaning}>
        {words.asOf}{' '}
        <input
          ref={field}
          type="date"
          min="2000-01-01"
          max="2999-12-31"
          defaultValue={day}
          onChange={({ target }) => {
            if (target.value !== '' && target.validity.valid) onDay(target.value)
          }}
        />
      </label>{' '}
      {day !== today && <Link href={todayLink}>{words.backToToday}</Link>}
    </span>
  )
}
