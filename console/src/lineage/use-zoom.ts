import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

import { fitScale, least, most, nextScale, type Size, within } from './scale.ts'

type Point = { x: number; y: number }

export type Zoom = {
  scale: number
  /** Whether the size of the box is known, so that the drawing starts with its final scale. */
  isMeasured: boolean
  isFit: boolean
  canGrow: boolean
  canShrink: boolean
  step: (isLarger: boolean) => void
  fit: () => void
  full: () => void
}

/**
 * The scale of a drawing in a scrolling box. It fits the whole drawing into the box until the user
 * chooses another scale with a button, a key or Ctrl and the wheel. The wheel keeps the point under
 * the pointer in place.
 */
export const useZoom = (box: RefObject<HTMLElement | null>, drawing: Size): Zoom => {
  const [chosen, setChosen] = useState<number | null>(null)
  const room = useRoom(box)
  const fitted = fitScale(drawing, room)
  const scale = chosen ?? fitted
  const held = useRef<{ point: Point; at: Point } | null>(null)

  /** Stores the drawing point at a position of the box, to restore it after zooming. */
  const hold = (at: Point) => {
    const { scrollLeft = 0, scrollTop = 0 } = box.current ?? {}
    held.current = { at, point: { x: (scrollLeft + at.x) / scale, y: (scrollTop + at.y) / scale } }
  }
  useLayoutEffect(() => {
    if (!held.current) return
    const { point, at } = held.current
    held.current = null
    box.current?.scrollTo(point.x * scale - at.x, point.y * scale - at.y)
  }, [box, scale])

  const middle = () => ({ x: room.width / 2, y: room.height / 2 })
  const choose = (next: number | null, at: Point = middle()) => {
    hold(at)
    setChosen(next)
  }
  const onWheel = useRef<(event: WheelEvent) => void>(() => undefined)
  onWheel.current = (event) => {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const corner = box.current?.getBoundingClientRect()
    const at = { x: event.clientX - (corner?.left ?? 0), y: event.clientY - (corner?.top ?? 0) }
    choose(within(scale * 2 ** (-event.deltaY / 300)), at)
  }
  useEffect(() => {
    const element = box.current
    // React adds passive wheel listeners, which cannot prevent the page from zooming.
    const listen = (event: WheelEvent) => onWheel.current(event)
    element?.addEventListener('wheel', listen, { passive: false })
    return () => element?.removeEventListener('wheel', listen)
  }, [box])

  return {
    scale,
    isMeasured: room !== unmeasured,
    isFit: chosen === null,
    canGrow: scale < most,
    canShrink: scale > least,
    step: (isLarger) => choose(nextScale(scale, isLarger)),
    fit: () => setChosen(null),
    full: () => choose(1),
  }
}

const unmeasured: Size = { width: 1, height: 1 }

/** The inner size of a box. */
const useRoom = (box: RefObject<HTMLElement | null>): Size => {
  const [room, setRoom] = useState<Size>(unmeasured)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => {
      const style = getComputedStyle(element)
      const across = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight)
      const down = Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom)
      setRoom({ width: element.clientWidth - across, height: element.clientHeight - down })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return room
}

/** A landscape A4 or Letter page without margins, in CSS pixels. */
const paper: Size = { width: 940, height: 600 }

/** The scale for printing; null while not printing. */
export const usePrintScale = (drawing: Size): number | null => {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // The browser prints the page as it is when the listener returns.
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting ? fitScale(drawing, paper) : null
}
