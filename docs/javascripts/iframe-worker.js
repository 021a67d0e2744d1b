// A page that was opened from a disk may start no worker. Its search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #waiting = [];

    constructor(url) {
      super();
      this.#frame.hidden = true;
      document.documentElement.append(this.#frame);
      const inside = this.#frame.contentWindow;
      inside.postMessage = (data) => this.#tell(this, new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = new URL(url, document.baseURI);
      script.onload = () => {
        const waiting = this.#waiting;
        this.#waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      };
      script.onerror = () => this.#tell(this, new ErrorEvent("error"));
      inside.document.head.append(script);
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data);
      else this.#tell(this.#frame.contentWindow, new MessageEvent("message", { data }));
    }

    terminate() {
      this.#frame.remove();
    }

    // A message arrives after its sender is done, as from a thread of its own. A window calls its
    // own on… handlers; an EventTarget does not.
    #tell(target, event) {
      setTimeout(() => {
        if (target === this) this[`on${event.type}`]?.(event);
        target.dispatchEvent(event);
      });
    }
  };
}
