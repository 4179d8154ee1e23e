// Something that was shown stays a moment after its reason is gone.
import { useEffect, useState } from 'react'

/** true while `isOn`, and this long after it was. */
export function useLinger(isOn: boolean, ms: number): boolean {
  const [isShown, setShown] = useState(isOn)
  useEffect(() => {
    if (isOn) return setShown(true)
    const timer = setTimeout(() => setShown(false), ms)
    return () => clearTimeout(timer)
  }, [isOn, ms])
  return isOn || isShown
}
