// What of GTK and libadwaita Swift cannot call: macros, variadic functions, signals of any signature.
#ifndef HARK_CADWAITA_SHIM_H
#define HARK_CADWAITA_SHIM_H

#include <adwaita.h>
#include <glib-unix.h>

// A handler of any signal: it gets the arguments as values (the sender is the first) and says whether it took it.
typedef gboolean (*hark_handler)(void *context, const GValue *arguments, guint count);
typedef void (*hark_release)(void *context, GClosure *closure);

static inline void hark_marshal(
    GClosure *closure, GValue *result, guint count, const GValue *arguments, gpointer hint, gpointer handler) {
    gboolean taken = ((hark_handler)handler)(closure->data, arguments, count);
    if (result && G_VALUE_HOLDS_BOOLEAN(result)) g_value_set_boolean(result, taken);
}

// One function connects every signal, so no callback has to have the C signature of its signal.
static inline gulong hark_connect(
    void *object, const char *signal, hark_handler handler, void *context, hark_release release) {
    GClosure *closure = g_closure_new_simple(sizeof(GClosure), context);
    g_closure_set_meta_marshal(closure, (gpointer)handler, hark_marshal);
    g_closure_add_finalize_notifier(closure, context, release);
    return g_signal_connect_closure(object, signal, closure, FALSE);
}

// A new object becomes the caller's, whether its constructor gave it away or left it floating; windows are GTK's own.
static inline void *_Nonnull hark_take(void *_Nonnull object) {
    if (GTK_IS_WINDOW(object)) return g_object_ref(object);
    return g_object_is_floating(object) ? g_object_ref_sink(object) : object;
}

static inline void hark_name(GtkWidget *widget, const char *label) {
    GtkAccessible *accessible = GTK_ACCESSIBLE(widget);
    // GTK 4.8 puts the text of the label in front of the name, underscores and all.
    gtk_accessible_reset_relation(accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY);
    gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}
// The same for the buttons of a dialog that libadwaita makes.
static inline void hark_name_buttons(GtkWidget *widget) {
    if (GTK_IS_BUTTON(widget) && gtk_button_get_label(GTK_BUTTON(widget)))
        hark_name(widget, gtk_button_get_label(GTK_BUTTON(widget)));
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child))
        hark_name_buttons(child);
}
static inline void hark_describe(GtkWidget *widget, const char *text) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}
static inline void hark_describe_value(GtkWidget *widget, const char *text) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}
static inline void hark_mark_invalid(GtkWidget *widget, gboolean is_invalid) {
    gtk_accessible_update_state(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_INVALID,
        is_invalid ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}
static inline void hark_mark_checked(GtkWidget *widget, gboolean is_checked) {
    gtk_accessible_update_state(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_CHECKED,
        is_checked ? GTK_ACCESSIBLE_TRISTATE_TRUE : GTK_ACCESSIBLE_TRISTATE_FALSE, -1);
}
static inline void hark_mark_pressed(GtkWidget *widget, gboolean is_pressed) {
    gtk_accessible_update_state(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_PRESSED,
        is_pressed ? GTK_ACCESSIBLE_TRISTATE_TRUE : GTK_ACCESSIBLE_TRISTATE_FALSE, -1);
}
// GTK has a function for it from 4.10 on.
static inline void hark_set_placeholder(GtkWidget *entry, const char *text) {
    g_object_set(entry, "placeholder-text", text, NULL);
}
// The button that opens the menu of a split button.
static inline void hark_name_menu(GtkWidget *split, const char *name) {
    GtkWidget *menu = gtk_widget_get_last_child(split);
    GtkWidget *button = menu ? gtk_widget_get_first_child(menu) : NULL;
    if (button) hark_name(button, name);
}
static inline void hark_press(GtkWidget *widget, const char *name, GVariant *parameter) { gtk_widget_activate(widget); }
// GTK 4.8 gives check buttons no action that assistive programs could call; actions of a class they can.
static inline void hark_make_check_buttons_pressable(void) {
    gpointer type = g_type_class_ref(GTK_TYPE_CHECK_BUTTON);
    gtk_widget_class_install_action(GTK_WIDGET_CLASS(type), "hark.press", NULL, hark_press);
    g_type_class_unref(type);
}
// The role is a property of construction.
static inline GtkWidget *_Nonnull hark_new(GType type, GtkAccessibleRole role) {
    return (GtkWidget *)g_object_new(type, "accessible-role", role, NULL);
}
static inline GtkWidget *hark_message_dialog(GtkWindow *parent, const char *heading, const char *body) {
    return adw_message_dialog_new(parent, heading, body);
}

// How much larger than GNOME's usual 11 points at 96 to an inch the desktop's texts are.
static inline double hark_text_scale(void) {
    int dpi = -1;
    char *font = NULL;
    g_object_get(gtk_settings_get_default(), "gtk-xft-dpi", &dpi, "gtk-font-name", &font, NULL);
    PangoFontDescription *description = pango_font_description_from_string(font ? font : "");
    double points = pango_font_description_get_size(description) / (double)PANGO_SCALE;
    pango_font_description_free(description);
    g_free(font);
    return (dpi > 0 ? dpi / 1024.0 / 96.0 : 1) * (points > 0 ? points / 11.0 : 1);
}

// Equal cells in as many rows as are needed for the width: the fewest in which the widest minimum fits, evenly filled.
#define HARK_CELLS_GAP "hark-cells-gap"
typedef struct { int count, least, usual, gap; } hark_cells;
static inline hark_cells hark_measure_cells(GtkWidget *widget) {
    hark_cells cells = {0, 1, 1, GPOINTER_TO_INT(g_object_get_data(G_OBJECT(widget), HARK_CELLS_GAP))};
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        int least = 0, usual = 0;
        if (!gtk_widget_should_layout(child)) continue;
        gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
        cells.count++;
        cells.least = MAX(cells.least, least);
        cells.usual = MAX(cells.usual, usual);
    }
    return cells;
}
static inline int hark_cells_per_row(hark_cells cells, int width) {
    int most = MIN(MAX((width + cells.gap) / (cells.least + cells.gap), 1), MAX(cells.count, 1));
    int rows = (cells.count + most - 1) / most;
    return rows > 0 ? (cells.count + rows - 1) / rows : 1;
}
static inline int hark_cell_width(hark_cells cells, int per_row, int width) {
    return MAX((width - (per_row - 1) * cells.gap) / per_row, cells.least);
}
static inline GtkSizeRequestMode hark_cells_mode(GtkWidget *widget) { return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH; }
// The height of the highest cell, or of a row.
static inline void hark_cells_measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline) {
    hark_cells cells = hark_measure_cells(widget);
    if (orientation == GTK_ORIENTATION_HORIZONTAL) {
        *minimum = cells.least;
        *natural = MAX(cells.count, 1) * (cells.usual + cells.gap) - cells.gap;
        return;
    }
    int per_row = for_size < 0 ? MAX(cells.count, 1) : hark_cells_per_row(cells, for_size);
    int width = for_size < 0 ? cells.usual : hark_cell_width(cells, per_row, for_size);
    int rows = (cells.count + per_row - 1) / per_row;
    int highest = 0;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        int least = 0;
        if (!gtk_widget_should_layout(child)) continue;
        gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
        highest = MAX(highest, least);
    }
    *minimum = *natural = MAX(rows * (highest + cells.gap) - cells.gap, 0);
}
static inline void hark_cells_allocate(GtkWidget *widget, int width, int height, int baseline) {
    hark_cells cells = hark_measure_cells(widget);
    int per_row = hark_cells_per_row(cells, width);
    int cell = hark_cell_width(cells, per_row, width);
    int rows = MAX((cells.count + per_row - 1) / per_row, 1);
    int row = (height - (rows - 1) * cells.gap) / rows;
    gboolean is_mirrored = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
    int place = 0;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        if (!gtk_widget_should_layout(child)) continue;
        int x = place % per_row * (cell + cells.gap);
        GtkAllocation area = {is_mirrored ? width - x - cell : x, place / per_row * (row + cells.gap), cell, row};
        gtk_widget_size_allocate(child, &area, -1);
        place++;
    }
}
static inline void hark_lay_out_cells(GtkWidget *widget, int gap) {
    g_object_set_data(G_OBJECT(widget), HARK_CELLS_GAP, GINT_TO_POINTER(gap));
    gtk_widget_set_layout_manager(
        widget, gtk_custom_layout_new(hark_cells_mode, hark_cells_measure, hark_cells_allocate));
}

// A child in the proportions of its largest size, which it has where there is room.
#define HARK_FITTED_WIDTH "hark-fitted-width"
#define HARK_FITTED_HEIGHT "hark-fitted-height"
static inline int hark_fitted_width(GtkWidget *widget, int room) {
    int most = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(widget), HARK_FITTED_WIDTH));
    return room < 0 ? most : MIN(room, most);
}
static inline int hark_fitted_height(GtkWidget *widget, int width) {
    gint64 most = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(widget), HARK_FITTED_HEIGHT));
    return MAX(1, (int)(most * width / hark_fitted_width(widget, -1)));
}
static inline void hark_fitted_measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline) {
    if (orientation == GTK_ORIENTATION_HORIZONTAL) {
        *minimum = 1;
        *natural = hark_fitted_width(widget, -1);
    } else {
        *minimum = *natural = hark_fitted_height(widget, hark_fitted_width(widget, for_size));
    }
}
static inline void hark_fitted_allocate(GtkWidget *widget, int width, int height, int baseline) {
    GtkWidget *child = gtk_widget_get_first_child(widget);
    int wide = MAX(1, hark_fitted_width(widget, width));
    int high = hark_fitted_height(widget, wide);
    GtkAllocation area = {(width - wide) / 2, (height - high) / 2, wide, high};
    if (child) gtk_widget_size_allocate(child, &area, -1);
}
static inline void hark_lay_out_fitted(GtkWidget *widget, int width, int height) {
    g_object_set_data(G_OBJECT(widget), HARK_FITTED_WIDTH, GINT_TO_POINTER(MAX(1, width)));
    g_object_set_data(G_OBJECT(widget), HARK_FITTED_HEIGHT, GINT_TO_POINTER(MAX(1, height)));
    gtk_widget_set_layout_manager(
        widget, gtk_custom_layout_new(hark_cells_mode, hark_fitted_measure, hark_fitted_allocate));
}
// Where a widget is in the one that scrolls it, from its top.
static inline gboolean hark_place_in(GtkWidget *widget, GtkWidget *ancestor, double *top, double *height) {
    graphene_rect_t bounds;
    if (!gtk_widget_compute_bounds(widget, ancestor, &bounds)) return FALSE;
    *top = bounds.origin.y;
    *height = bounds.size.height;
    return TRUE;
}

// libdispatch hands its main queue to other main loops by these two; Core Foundation uses them likewise.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);

#endif
