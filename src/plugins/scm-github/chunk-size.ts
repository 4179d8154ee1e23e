// How many pull requests one query requests. GitHub gives up on a query after ten seconds: then fewer are requested, and
// gradually more again.

export interface ChunkSize {
  size(): number
  /** GitHub could not answer a query of this size. */
  shrink(): void
  /** It succeeded. */
  grow(): void
}

const LARGEST = 25

export function createChunkSize(): ChunkSize {
  let size = LARGEST
  return {
    size: () => size,
    shrink() {
      size = Math.max(1, Math.floor(size / 2))
    },
    grow() {
      size = Math.min(LARGEST, size + 1)
    },
  }
}
