import { type PointerEvent, type RefObject, useEffect, useState } from 'react'
import type { Layout } from './layout.ts'

const widthMax = 200
const heightMax = 110

interface MinimapProps {
  readonly layout: Layout
  readonly box: RefObject<HTMLElement | null>
  readonly scale: number
  readonly start: string
}

/**
 * The whole drawing in a corner, with the visible part marked. It only speeds up scrolling with a
 * pointer: keys scroll the drawing itself.
 */
export const Minimap = ({ layout, box, scale, start }: MinimapProps) => {
  const view = useView(box, scale)
  const isWhole = view.width >= layout.width - 1 && view.height >= layout.height - 1
  if (isWhole || view.width === 0) return null
  const ratio = Math.min(widthMax / layout.width, heightMax / layout.height)
  const moveTo = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons !== 1) return
    const corner = event.currentTarget.getBoundingClientRect()
    const x = (event.clientX - corner.left) / ratio
    const y = (event.clientY - corner.top) / ratio
    box.current?.scrollTo((x - view.width / 2) * scale, (y - view.height / 2) * scale)
  }
  return (
    <svg
      className="minimap"
      aria-hidden="true"
      width={layout.width * ratio}
      height={layout.height * ratio}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        moveTo(event)
      }}
      onPointerMove={moveTo}
    >
      {layout.nodes.map(({ key, x, y, width, height }) => (
        <rect
          key={key}
          className={key === start ? 'minimap-start' : 'minimap-node'}
          {...{ x, y, width, height }}
        />
      ))}
      <rect className="minimap-view" {...view} />
    </svg>
  )
}

/** The visible part, in the coordinates of the drawing. */
const useView = (box: RefObject<HTMLElement | null>, scale: number) => {
  const [view, setView] = useState({ x: 0, y: 0, width: 0, height: 0 })
  useEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () =>
      setView({
        x: element.scrollLeft / scale,
        y: element.scrollTop / scale,
        width: element.clientWidth / scale,
        height: element.clientHeight / scale,
      })
    measure()
    element.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [box, scale])
  return view
}
