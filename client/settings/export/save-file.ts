/** A file that is written piece by piece. */

export interface Sink {
  write(text: string): Promise<void>
  /** The file is whole. */
  close(): Promise<void>
  /** Nothing is left of it. */
  abort(): Promise<void>
}

declare global {
  interface Window {
    /** Not in every browser, and only on https and the machine itself. */
    showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<FileSystemFileHandle>
  }
}

/** Pieces are given to the browser when they are this long: from then on they are in its keeping, on disk if it likes. */
const PIECE = 1_048_576

/** null: the reader changed their mind. Straight to a file where the browser can do that, else to be downloaded when whole. */
export async function openSink(name: string, mime: string): Promise<Sink | null> {
  if (!window.showSaveFilePicker) return downloadSink(name, mime)
  try {
    const handle = await window.showSaveFilePicker({ suggestedName: name })
    return fileSink(await handle.createWritable())
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

function fileSink(file: FileSystemWritableFileStream): Sink {
  return { write: (text) => file.write(text), close: () => file.close(), abort: () => file.abort() }
}

function downloadSink(name: string, mime: string): Sink {
  const pieces: Blob[] = []
  let text = ''
  const flush = () => {
    pieces.push(new Blob([text]))
    text = ''
  }
  return {
    async write(more) {
      text += more
      if (text.length >= PIECE) flush()
    },
    async close() {
      flush()
      const url = URL.createObjectURL(new Blob(pieces, { type: mime }))
      const link = document.createElement('a')
      link.href = url
      link.download = name
      link.click()
      // The download has its own hold on it by then.
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
    },
    async abort() {
      pieces.length = 0
      text = ''
    },
  }
}
