import { useEffect, useState } from 'react'
import { watchWaits } from '../api.ts'
import { texts } from '../texts/index.ts'

/** Shows that the rate limit is reached, and when requests resume. */
export const Waiting = () => {
  const [until, setUntil] = useState(0)
  const [now, setNow] = useState(0)
  useEffect(
    () =>
      watchWaits((next) => {
        setNow(Date.now())
        setUntil((before) => Math.max(before, next))
      }),
    [],
  )
  useEffect(() => {
    if (until <= now) return
    const timer = setTimeout(() => setNow(Date.now()), 250)
    return () => clearTimeout(timer)
  }, [until, now])
  const seconds = Math.ceil((until - now) / 1_000)
  return (
    <div className="waiting" role="status" hidden={seconds <= 0}>
      {seconds > 0 && texts().states.waiting(seconds)}
    </div>
  )
}
