import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { texts } from './texts/index.ts'

interface DayChoiceProps {
  /** The day that is treated as today. */
  readonly day: string
  readonly today: string
  /** The URL of this page for today. */
  readonly todayLink: string
  readonly onDay: (day: string) => void
}

/** Chooses the day to treat as today, with a link back to today. */
export const DayChoice = ({ day, today, todayLink, onDay }: DayChoiceProps) => {
  const field = useRef<HTMLInputElement>(null)
  const words = texts().today
  // Uncontrolled: React would overwrite a day that is only partly typed.
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
