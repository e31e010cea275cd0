"use strict";
// Takes out of recorded events what could run, load or lead elsewhere. The policy of this document forbids the same:
// neither is relied on alone.
const harmless = (() => {
  const HOLLOW = new Set(["script", "noscript", "iframe", "frame", "frameset", "object", "embed", "applet", "portal", "fencedframe", "base", "meta", "title"]);
  // They change attributes by themselves, links included.
  const DROPPED = new Set(["animate", "set", "animatetransform", "animatemotion", "discard", "handler", "listener"]);
  const ADDRESSES = new Set([
    "src", "href", "xlink:href", "srcset", "poster", "data", "background", "lowsrc", "dynsrc", "imagesrcset", "rr_dataurl", "rr_src",
    "longdesc", "manifest", "codebase", "classid", "archive", "profile", "cite", "usemap", "icon",
  ]);
  const FORBIDDEN = new Set([
    "srcdoc", "action", "formaction", "ping", "target", "http-equiv", "nonce", "integrity", "is", "autofocus", "autoplay", "download",
    "formtarget", "attributionsrc", "popovertarget", "commandfor", "sandbox", "allow", "csp", "rr_mediastate", "rr_mediacurrenttime",
  ]);
  const IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|svg\+xml)[;,]/i;
  const NAME = /^[a-z_:][-a-z0-9_:.]*$/i;
  const MAX_MISSING = 10000;

  const missing = new Set();
  const styles = new Set();

  function isHarmless(address) {
    const text = String(address).trim();
    return text === "" || text.startsWith("#") || IMAGE.test(text);
  }

  function miss(address) {
    if (missing.size < MAX_MISSING) missing.add(String(address).slice(0, 1000));
  }

  // Letters of CSS as they are, so that `u\72l(` reads as what it is.
  function unescaped(text) {
    return text
      .replace(/\\0{0,4}([46][1-9a-f]|[57][0-9a])[ \t\r\n\f]?/gi, (_, code) => String.fromCharCode(parseInt(code, 16)))
      .replace(/\\([g-z])/gi, "$1");
  }

  // Of a style sheet: imports, and what it loads by address.
  function style(text) {
    return unescaped(String(text))
      .replace(/@import\b[^;{}]*;?/gi, (rule) => { miss(rule); return ""; })
      .replace(/url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"']*))\s*\)/gi, (whole, double, single, bare) => {
        const address = (double ?? single ?? bare ?? "").trim();
        if (isHarmless(address) || /^data:(?:font\/|application\/(?:x-)?font)/i.test(address)) return whole;
        miss(address);
        return 'url("data:,")';
      })
      .replace(/(?:-webkit-)?image-set\([^;{}]*/gi, "none");
  }

  function styleValue(value) {
    if (Array.isArray(value)) return [style(value[0] ?? ""), value[1] === "important" ? "important" : ""];
    return value === false || value === null ? value : style(value);
  }

  // Attributes of an element, or those that changed. `tag` is empty where it is not known.
  function attributes(given, tag) {
    const kept = {};
    for (const [name, value] of Object.entries(given ?? {})) {
      const low = name.toLowerCase();
      if (!NAME.test(name) || low.startsWith("on") || FORBIDDEN.has(low)) continue;
      if (low === "name" && tag !== "input" && tag !== "meta") continue;
      if (value === null || typeof value === "boolean" || typeof value === "number") {
        kept[name] = value;
      } else if (low === "style" && typeof value === "object") {
        kept[name] = Object.fromEntries(Object.entries(value).map(([property, one]) => [property, styleValue(one)]));
      } else if (typeof value !== "string") {
        continue;
      } else if (low === "style" || low === "_csstext") {
        kept[name] = style(value);
      } else if (ADDRESSES.has(low)) {
        if (isHarmless(value)) kept[name] = value;
        else if (low === "href" && ["a", "area", ""].includes(tag)) kept[name] = "#";
        else if (!["cite", "usemap", "rr_src"].includes(low) && value) {
          miss(value);
          kept["data-not-recorded"] = "";
        }
      } else if (/url\(|javascript:/i.test(value)) {
        // Of presentation attributes such as `fill` and `filter`.
        kept[name] = style(value).replace(/javascript:/gi, "");
      } else {
        kept[name] = value;
      }
    }
    return kept;
  }

  function node(given) {
    if (!given || typeof given !== "object" || typeof given.id !== "number") return null;
    const kept = { ...given };
    if (given.type === 3) {
      kept.textContent = String(given.textContent ?? "");
      if (given.isStyle) {
        styles.add(given.id);
        kept.textContent = style(kept.textContent);
      }
      return kept;
    }
    if (given.type === 2) {
      const tag = String(given.tagName ?? "").toLowerCase();
      if (DROPPED.has(tag) || !NAME.test(tag)) return null;
      const isSheet = tag === "link" && given.attributes && "_cssText" in given.attributes;
      if (tag === "link" && !isSheet) {
        if (/stylesheet/i.test(given.attributes?.rel ?? "") && given.attributes.href) miss(given.attributes.href);
        return { type: 5, textContent: "", id: given.id, rootId: given.rootId };
      }
      delete kept.isCustom;
      if (HOLLOW.has(tag) || tag === "link") {
        kept.tagName = isSheet ? "style" : tag === "title" ? "title" : "div";
        kept.attributes = isSheet ? attributes({ _cssText: given.attributes._cssText, media: given.attributes.media }, "style") : {};
        // A frame keeps its place.
        if (tag === "iframe" || tag === "object" || tag === "embed") {
          kept.attributes = attributes({ class: given.attributes?.class, style: given.attributes?.style, width: given.attributes?.width, height: given.attributes?.height }, "div");
          kept.attributes["data-not-recorded"] = "";
        } else if (!isSheet) {
          kept.attributes.hidden = "";
        }
        kept.childNodes = [];
        return kept;
      }
      if (tag === "style") styles.add(given.id);
      kept.attributes = attributes(given.attributes, tag);
      kept.childNodes = nodes(given.childNodes, styles.has(given.id));
      return kept;
    }
    if (given.type === 0) {
      kept.childNodes = nodes(given.childNodes, false);
      return kept;
    }
    return given.type === 1 || given.type === 4 || given.type === 5 ? kept : null;
  }

  function nodes(given, isStyle) {
    if (!Array.isArray(given)) return [];
    return given.map((one) => node(isStyle && one?.type === 3 ? { ...one, isStyle: true } : one)).filter((one) => one !== null);
  }

  // A change of the page, by rrweb's sources of changes.
  function change(data) {
    switch (data.source) {
      case 0:
        // Documents within frames are not shown.
        if (data.isAttachIframe) return null;
        return {
          ...data,
          adds: (data.adds ?? []).map((add) => {
            const isStyle = styles.has(add.parentId) && add.node?.type === 3;
            return { ...add, node: node(isStyle ? { ...add.node, isStyle: true } : add.node) };
          }).filter((add) => add.node !== null && add.node.type !== 0),
          texts: (data.texts ?? []).map((text) => styles.has(text.id) && text.value !== null ? { ...text, value: style(text.value) } : text),
          attributes: (data.attributes ?? []).map((one) => ({ ...one, attributes: attributes(one.attributes, "") })),
        };
      case 8: case 15:
        return rules(data);
      case 13:
        return { ...data, set: data.set && { ...data.set, value: style(data.set.value ?? "") } };
      // Pointers, scrolling, sizes, input and selections.
      case 1: case 2: case 3: case 4: case 5: case 6: case 12: case 14: case 16:
        return data;
      // Media, canvas, fonts, logs.
      default:
        return null;
    }
  }

  function rules(data) {
    const clean = (one) => ({ ...one, rule: style(one.rule ?? "") });
    const kept = { ...data };
    if (Array.isArray(data.adds)) kept.adds = data.adds.map(clean);
    if (typeof data.replace === "string") kept.replace = style(data.replace);
    if (typeof data.replaceSync === "string") kept.replaceSync = style(data.replaceSync);
    if (Array.isArray(data.styles)) kept.styles = data.styles.map((sheet) => ({ ...sheet, rules: (sheet.rules ?? []).map(clean) }));
    return kept;
  }

  // The event as it may be played; null: nothing of it is.
  function event(given) {
    const data = given?.data;
    if (!data || typeof data !== "object" || typeof given.timestamp !== "number") return null;
    switch (given.type) {
      case 2: {
        styles.clear();
        const page = node(data.node);
        if (!page || page.type !== 0) return null;
        return { type: 2, timestamp: given.timestamp, data: { node: page, initialOffset: { top: Number(data.initialOffset?.top) || 0, left: Number(data.initialOffset?.left) || 0 } } };
      }
      case 3: {
        const kept = change(data);
        return kept && { type: 3, timestamp: given.timestamp, data: kept };
      }
      case 4:
        return { type: 4, timestamp: given.timestamp, data: { href: "", width: Number(data.width) || 1024, height: Number(data.height) || 768 } };
      default:
        return null;
    }
  }

  return { event, missing };
})();
