export type Size = { width: number; height: number }

/** The zoom steps of the buttons. */
const scales = [0.15, 0.2, 0.25, 0.33, 0.42, 0.5, 0.6, 0.75, 0.9, 1, 1.25, 1.5]

export const least = scales[0] as number
export const most = scales.at(-1) as number

export const within = (scale: number): number => Math.min(most, Math.max(least, scale))

/** The scale at which the whole drawing is visible, at most 1. */
export const fitScale = (drawing: Size, room: Size): number => {
  const [width, height] = [Math.max(1, drawing.width), Math.max(1, drawing.height)]
  const scale = Math.min(1, room.width / width, room.height / height)
  // Rounds down: an excess of half a pixel would show scroll bars.
  return within(Math.floor(scale * 1_000) / 1_000)
}

export const nextScale = (scale: number, isLarger: boolean): number =>
  (isLarger
    ? scales.find((each) => each > scale + 0.001)
    : scales.findLast((each) => each < scale - 0.001)) ?? within(scale)
