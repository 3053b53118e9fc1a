import { useEffect, useState } from 'react'
import { watchWaits } from '../api.ts'

/** Says that the rate limit is used up, and when requests go on by themselves. */
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
      {seconds > 0 && `The rate limit of this key is used up. Going on in ${seconds} s.`}
    </div>
  )
}
